# SPDX-License-Identifier: Apache-2.0
"""What reads SavedModels."""
from leat.python.saved_model.loader_impl import (  # noqa: F401
    load, maybe_saved_model_directory)
