# SPDX-License-Identifier: Apache-2.0
"""Comparisons of messages."""
