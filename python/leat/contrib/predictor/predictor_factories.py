# SPDX-License-Identifier: Apache-2.0
"""What makes predictors."""
from leat.contrib.predictor import saved_model_predictor


def from_saved_model(export_dir, signature_def_key=None, signature_def=None, input_names=None,
                     output_names=None, tags=None, graph=None, config=None):
    """The predictor of a SavedModel's signature."""
    return saved_model_predictor.SavedModelPredictor(
        export_dir, signature_def_key=signature_def_key, signature_def=signature_def,
        input_names=input_names, output_names=output_names, tags=tags, graph=graph, config=config)
