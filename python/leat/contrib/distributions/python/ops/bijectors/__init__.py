# SPDX-License-Identifier: Apache-2.0
"""Bijectors, a module each family."""
