# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.util: see the modules in this folder."""
