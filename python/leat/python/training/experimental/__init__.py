# SPDX-License-Identifier: Apache-2.0
"""Scaling of losses, and the optimizer that does it."""
