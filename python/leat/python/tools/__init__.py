# SPDX-License-Identifier: Apache-2.0
"""Programs that work on graphs, checkpoints and SavedModels."""
