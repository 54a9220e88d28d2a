# SPDX-License-Identifier: Apache-2.0
"""What is in a checkpoint, and variables that begin with it: tf.train's functions."""
from leat.python.training.checkpoint_utils import (  # noqa: F401
    init_from_checkpoint, list_variables, load_checkpoint, load_variable)

__all__ = ['load_checkpoint', 'load_variable', 'list_variables', 'init_from_checkpoint']
