# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's examples that programs import."""
