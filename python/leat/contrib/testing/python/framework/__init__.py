# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow's own tests use."""
