# SPDX-License-Identifier: Apache-2.0
"""Checks and checkpoints."""
