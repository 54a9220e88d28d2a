# SPDX-License-Identifier: Apache-2.0
"""Training, evaluation, models."""
