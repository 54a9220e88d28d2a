# SPDX-License-Identifier: Apache-2.0
"""All of feature columns in one module."""
from leat.python.feature_column.feature_column import (  # noqa: F401
    input_layer, linear_model, make_parse_example_spec)
from leat.python.feature_column.feature_column_v2 import *  # noqa: F401,F403
from leat.python.feature_column.sequence_feature_column import *  # noqa: F401,F403
