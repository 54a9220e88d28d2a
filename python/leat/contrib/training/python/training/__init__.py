# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters, batches of sequences."""
