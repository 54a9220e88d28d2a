# SPDX-License-Identifier: Apache-2.0
"""What tf.layers stands on; tf.keras itself is not there yet."""
