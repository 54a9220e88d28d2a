# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.framework: see the modules in this folder."""
