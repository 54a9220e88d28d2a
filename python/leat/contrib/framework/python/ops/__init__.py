# SPDX-License-Identifier: Apache-2.0
"""Argument scopes and variables."""
