# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model.load_v2: objects of a SavedModel; not there."""
from leat.python.eager import context


def load(export_dir, tags=None):
    raise context.EagerUnsupportedError('tf.saved_model.load_v2; use tf.saved_model.load')
