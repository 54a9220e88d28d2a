# SPDX-License-Identifier: Apache-2.0
"""Layers, initialisers, regularizers."""
