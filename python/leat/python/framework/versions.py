# SPDX-License-Identifier: Apache-2.0
"""tf.version: whose interface this is, and the versions of graphs that can be read."""
VERSION = '1.15.5'
GIT_VERSION = 'v1.15.5-leat'
COMPILER_VERSION = 'C'
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0

__version__ = VERSION
__git_version__ = GIT_VERSION
__compiler_version__ = COMPILER_VERSION
__cxx11_abi_flag__ = CXX11_ABI_FLAG
__monolithic_build__ = MONOLITHIC_BUILD
