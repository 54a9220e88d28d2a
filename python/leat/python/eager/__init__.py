# SPDX-License-Identifier: Apache-2.0
"""What of tensorflow.python.eager programs that build graphs import."""
