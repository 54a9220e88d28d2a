# SPDX-License-Identifier: Apache-2.0
"""SignatureDef messages."""
from leat.python.saved_model.signature_def_utils_impl import (  # noqa: F401
    build_signature_def, classification_signature_def, is_valid_signature,
    load_op_from_signature_def, op_signature_def, predict_signature_def, regression_signature_def,
    supervised_eval_signature_def, supervised_train_signature_def)
