# SPDX-License-Identifier: Apache-2.0
"""Models that TensorFlow had beside it before 1.0."""
