# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model.simple_save."""
from leat.python.framework import ops
from leat.python.saved_model import builder
from leat.python.saved_model import signature_constants
from leat.python.saved_model import signature_def_utils
from leat.python.saved_model import tag_constants
from leat.python.util.tf_export import tf_export


@tf_export(v1=['saved_model.simple_save'])
def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes a SavedModel for serving: tensors by name to tensors by name."""
    signature = signature_def_utils.predict_signature_def(inputs, outputs)
    made = builder.SavedModelBuilder(export_dir)
    made.add_meta_graph_and_variables(
        session, tags=[tag_constants.SERVING],
        signature_def_map={
            signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op, clear_devices=True)
    made.save()
