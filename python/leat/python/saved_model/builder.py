# SPDX-License-Identifier: Apache-2.0
"""What writes SavedModels."""
from leat.python.saved_model.builder_impl import (  # noqa: F401
    SavedModelBuilder, _SavedModelBuilder)
