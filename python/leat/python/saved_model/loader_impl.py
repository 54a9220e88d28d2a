# SPDX-License-Identifier: Apache-2.0
"""Reads SavedModels: a graph by its tags, its variables, its init op with the assets' paths."""
import os

from leat.core.protobuf import meta_graph_pb2
from leat.core.protobuf import saved_model_pb2
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.ops import variables
from leat.python.platform import tf_logging
from leat.python.saved_model import constants
from leat.python.saved_model import signature_def_utils
from leat.python.saved_model import utils_impl as saved_model_utils
from leat.python.training import saver as tf_saver
from leat.python.util import compat
from leat.python.util.tf_export import tf_export


def parse_saved_model(export_dir):
    """The SavedModel message of a folder."""
    path_to_pbtxt = os.path.join(compat.as_bytes(compat.path_to_str(export_dir)),
                                 compat.as_bytes(constants.SAVED_MODEL_FILENAME_PBTXT))
    path_to_pb = os.path.join(compat.as_bytes(compat.path_to_str(export_dir)),
                              compat.as_bytes(constants.SAVED_MODEL_FILENAME_PB))
    saved_model = saved_model_pb2.SavedModel()
    if file_io.file_exists(path_to_pb):
        try:
            with file_io.FileIO(path_to_pb, 'rb') as file:
                saved_model.ParseFromString(file.read())
            return saved_model
        except Exception as error:
            raise IOError('Cannot parse file %s: %s.' % (path_to_pb, error)) from None
    if file_io.file_exists(path_to_pbtxt):
        from leat import _text_format
        try:
            with file_io.FileIO(path_to_pbtxt, 'r') as file:
                _text_format.Merge(file.read(), saved_model)
            return saved_model
        except _text_format.ParseError as error:
            raise IOError('Cannot parse file %s: %s.' % (path_to_pbtxt, error)) from None
    raise IOError('SavedModel file does not exist at: %s/{%s|%s}'
                  % (export_dir, constants.SAVED_MODEL_FILENAME_PBTXT,
                     constants.SAVED_MODEL_FILENAME_PB))


_parse_saved_model = parse_saved_model


def get_asset_tensors(export_dir, meta_graph_def_to_load, import_scope=None):
    """{tensor's name: path} of the assets."""
    meta_graph_def = meta_graph_def_to_load
    assets = []
    if meta_graph_def.asset_file_def:
        assets = meta_graph_def.asset_file_def
    elif constants.ASSETS_KEY in meta_graph_def.collection_def:
        for value in meta_graph_def.collection_def[constants.ASSETS_KEY].any_list.value:
            asset = meta_graph_pb2.AssetFileDef()
            value.Unpack(asset)
            assets.append(asset)
    folder = saved_model_utils.get_assets_dir(compat.path_to_str(export_dir))
    found = {}
    for asset in assets:
        name = asset.tensor_info.name
        if import_scope:
            name = '%s/%s' % (import_scope, name)
        found[name] = os.path.join(compat.as_bytes(folder), compat.as_bytes(asset.filename))
    return found


def _get_main_op_tensor(meta_graph_def_to_load, init_op_key=constants.MAIN_OP_KEY):
    """The op of a collection of one."""
    collection_def = meta_graph_def_to_load.collection_def
    if init_op_key not in collection_def:
        return None
    names = collection_def[init_op_key].node_list.value
    if len(names) != 1:
        raise RuntimeError('Expected exactly one SavedModel init op. Found: {}'.format(
            list(names)))
    return ops.get_collection(init_op_key)[0]


def _get_op_from_collection(meta_graph_def, op_key):
    return _get_main_op_tensor(meta_graph_def, op_key)


def _get_op_from_signature_def(meta_graph_def, op_signature_key, import_scope):
    """The operation that a signature names, if there is the signature."""
    if op_signature_key in meta_graph_def.signature_def:
        return signature_def_utils.load_op_from_signature_def(
            meta_graph_def.signature_def[op_signature_key], op_signature_key, import_scope)
    return None


def get_init_op(meta_graph_def, import_scope=None):
    return (_get_op_from_signature_def(meta_graph_def, constants.INIT_OP_SIGNATURE_KEY,
                                       import_scope) or
            _get_op_from_collection(meta_graph_def, constants.MAIN_OP_KEY) or
            _get_op_from_collection(meta_graph_def, constants.LEGACY_INIT_OP_KEY))


def get_train_op(meta_graph_def, import_scope=None):
    train_op = _get_op_from_signature_def(meta_graph_def, constants.TRAIN_OP_SIGNATURE_KEY,
                                          import_scope)
    if train_op is None:
        train_op = _get_op_from_collection(meta_graph_def, constants.TRAIN_OP_KEY)
    return train_op


@tf_export(v1=['saved_model.maybe_saved_model_directory', 'saved_model.contains_saved_model',
               'saved_model.loader.maybe_saved_model_directory'])
def maybe_saved_model_directory(export_dir):
    """Whether a folder has the file of a SavedModel."""
    return any(file_io.file_exists(os.path.join(compat.path_to_str(export_dir), name))
               for name in (constants.SAVED_MODEL_FILENAME_PBTXT,
                            constants.SAVED_MODEL_FILENAME_PB))


contains_saved_model = maybe_saved_model_directory


@tf_export(v1=['saved_model.load', 'saved_model.loader.load'])
def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Reads a SavedModel's graph into the session's, and its variables: the MetaGraphDef."""
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader(object):
    """Reads a SavedModel step by step."""

    def __init__(self, export_dir):
        self._export_dir = export_dir
        self._variables_path = saved_model_utils.get_variables_path(compat.path_to_str(export_dir))
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self):
        return self._export_dir

    @property
    def variables_path(self):
        return self._variables_path

    @property
    def saved_model(self):
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags):
        """The graph with these tags and no others."""
        found, available = None, []
        for meta_graph_def in self._saved_model.meta_graphs:
            its_tags = set(meta_graph_def.meta_info_def.tags)
            available.append(its_tags)
            if its_tags == set(tags):
                found = meta_graph_def
                break
        if found is None:
            raise RuntimeError(
                'MetaGraphDef associated with tags ' + str(tags).strip('[]') +
                ' could not be found in SavedModel. To inspect available tag-sets in the '
                'SavedModel, please use the SavedModel CLI: `saved_model_cli`'
                '\navailable_tags: ' + str(available))
        return found

    def load_graph(self, graph, tags, import_scope=None, **saver_kwargs):
        """Imports the graph: (a Saver or None, None)."""
        meta_graph_def = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return tf_saver._import_meta_graph_with_return_elements(
                meta_graph_def, import_scope=import_scope, **saver_kwargs)

    def restore_variables(self, sess, saver, import_scope=None):
        """Gives the variables their values."""
        with sess.graph.as_default():
            if saver is None and not variables._all_saveable_objects(scope=import_scope):
                tf_logging.info('The specified SavedModel has no variables; no checkpoints were '
                                'restored.')
            elif isinstance(saver, tf_saver.Saver):
                saver.restore(sess, self._variables_path)
            else:
                raise ValueError('No tf.train.Saver object was passed to the function '
                                 '`SavedModelLoader.restore_variables`.')

    def run_init_ops(self, sess, tags, import_scope=None):
        """Runs the init op, fed with the paths of the assets."""
        meta_graph_def = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            assets = get_asset_tensors(self._export_dir, meta_graph_def,
                                       import_scope=import_scope)
            init_op = get_init_op(meta_graph_def, import_scope)
            if init_op is not None:
                sess.run(fetches=[init_op], feed_dict=assets)

    def load(self, sess, tags, import_scope=None, **saver_kwargs):
        """All of it."""
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)
