# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model.save: SavedModels of objects; not there."""
from leat.python.eager import context


def save(obj, export_dir, signatures=None, options=None):
    raise context.EagerUnsupportedError(
        'tf.saved_model.save; use tf.saved_model.Builder or tf.saved_model.simple_save')
