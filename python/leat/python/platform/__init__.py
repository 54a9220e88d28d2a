# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python.platform: see the modules in this folder."""
