# SPDX-License-Identifier: Apache-2.0
"""A SavedModel as a predictor."""
from leat.contrib.predictor import predictor
from leat.python.client import session
from leat.python.framework import ops
from leat.python.saved_model import loader
from leat.python.saved_model import signature_constants
from leat.python.saved_model import tag_constants

DEFAULT_TAGS = tag_constants.SERVING


class SavedModelPredictor(predictor.Predictor):
    """The tensors of one of a SavedModel's signatures, or of names that are given."""

    def __init__(self, export_dir, signature_def_key=None, signature_def=None, input_names=None,
                 output_names=None, tags=None, graph=None, config=None):
        if bool(input_names) != bool(output_names):
            raise ValueError('input_names and output_names must both be specified or both be '
                             'unspecified.')
        if sum(1 for way in (input_names, signature_def, signature_def_key) if way) > 1:
            raise ValueError('You must specify at most one of input_names OR signature_def_key OR '
                             'signature_def.')
        tags = (tags or DEFAULT_TAGS).split(',')
        self._graph = graph or ops.Graph()
        with self._graph.as_default():
            self._session = session.Session(config=config)
            loaded = loader.load(self._session, tags, export_dir)
        if not input_names:
            if signature_def is None:
                signature_def = _signature(loaded, signature_def_key or
                                           signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY)
            input_names = {k: v.name for k, v in signature_def.inputs.items()}
            output_names = {k: v.name for k, v in signature_def.outputs.items()}
        self._feed_tensors = {k: self._graph.get_tensor_by_name(name)
                              for k, name in input_names.items()}
        self._fetch_tensors = {k: self._graph.get_tensor_by_name(name)
                               for k, name in output_names.items()}


def _signature(meta_graph_def, key):
    signatures = meta_graph_def.signature_def
    if key not in signatures:
        raise ValueError('Got signature_def_key "{}". Available signatures are {}.'.format(
            key, sorted(signatures)))
    return signatures[key]
