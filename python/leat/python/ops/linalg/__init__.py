# SPDX-License-Identifier: Apache-2.0
"""tf.linalg's functions that are made of other ops."""
