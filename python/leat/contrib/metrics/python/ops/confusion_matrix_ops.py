# SPDX-License-Identifier: Apache-2.0
"""tf.confusion_matrix, with predictions after labels."""
from leat.python.framework import dtypes
from leat.python.ops import confusion_matrix as cm


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None,
                     weights=None):
    return cm.confusion_matrix(labels=labels, predictions=predictions, num_classes=num_classes,
                               dtype=dtype, name=name, weights=weights)
