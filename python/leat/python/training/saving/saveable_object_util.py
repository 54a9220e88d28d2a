# SPDX-License-Identifier: Apache-2.0
"""training.saveable_object_util, where TensorFlow 1.15 has it."""
from leat.python.training import saveable_object_util as _util
from leat.python.training.saveable_object_util import ReferenceVariableSaveable
from leat.python.training.saveable_object_util import ResourceVariableSaveable
from leat.python.training.saveable_object_util import saveable_objects_for_op
from leat.python.training.saveable_object_util import set_cpu0

__all__ = ['ReferenceVariableSaveable', 'ResourceVariableSaveable', 'saveable_objects_for_op',
           'set_cpu0']


def __getattr__(name):
    return getattr(_util, name)
