# SPDX-License-Identifier: Apache-2.0
"""What TensorBoard reads."""
