# SPDX-License-Identifier: Apache-2.0
"""The op that a SavedModel's graph begins with."""
from leat.python.saved_model.main_op_impl import main_op, main_op_with_restore  # noqa: F401
