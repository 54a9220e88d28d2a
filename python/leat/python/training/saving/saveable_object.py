# SPDX-License-Identifier: Apache-2.0
"""training.saveable_object, where TensorFlow 1.15 has it."""
from leat.python.training.saveable_object import SaveableObject
from leat.python.training.saveable_object import SaveSpec

__all__ = ['SaveSpec', 'SaveableObject']
