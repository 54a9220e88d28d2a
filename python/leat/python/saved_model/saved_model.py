# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model's parts in one module."""
from leat.python.saved_model import (  # noqa: F401
    builder, constants, loader, main_op, signature_constants, signature_def_utils, tag_constants,
    utils)
from leat.python.saved_model.simple_save import simple_save  # noqa: F401
