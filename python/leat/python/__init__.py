# SPDX-License-Identifier: Apache-2.0
"""tensorflow.python: see the modules in this folder."""
