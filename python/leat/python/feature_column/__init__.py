# SPDX-License-Identifier: Apache-2.0
"""Columns: how the features of examples become numbers."""
