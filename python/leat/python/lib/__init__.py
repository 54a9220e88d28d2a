# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.lib: see the modules in this folder."""
