# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.lib.io: see the modules in this folder."""
