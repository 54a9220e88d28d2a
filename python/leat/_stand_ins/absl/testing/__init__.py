# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow 1.x tests use of absl.testing."""
