# SPDX-License-Identifier: Apache-2.0
"""Writes SavedModels: graphs with tags and signatures, their variables once, their assets."""
import os

from leat.core.protobuf import meta_graph_pb2
from leat.core.protobuf import saved_model_pb2
from leat.core.protobuf import saver_pb2
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.lib.io import file_io
from leat.python.ops import variables
from leat.python.platform import tf_logging
from leat.python.saved_model import constants
from leat.python.saved_model import signature_def_utils
from leat.python.saved_model import utils_impl as saved_model_utils
from leat.python.training import saver as tf_saver
from leat.python.util import compat
from leat.python.util.tf_export import tf_export


class _SavedModelBuilder(object):
    """The builder whose init op is a signature."""

    def __init__(self, export_dir):
        self._saved_model = saved_model_pb2.SavedModel()
        self._saved_model.saved_model_schema_version = constants.SAVED_MODEL_SCHEMA_VERSION
        self._export_dir = compat.path_to_str(export_dir)
        if file_io.file_exists(self._export_dir):
            if file_io.list_directory(self._export_dir):
                raise AssertionError(
                    'Export directory already exists, and isn\'t empty. Please choose a different '
                    'export directory, or delete all the contents of the specified directory: %s'
                    % export_dir)
        else:
            file_io.recursive_create_dir(self._export_dir)
        self._has_saved_variables = False

    # ---- parts ----

    def _save_and_write_assets(self, meta_graph_def, assets_list=None):
        write_fn = _writer_to(meta_graph_def)
        self._copy_assets(_maybe_save_assets(write_fn, assets_list))

    def _copy_assets(self, asset_filename_map):
        if not asset_filename_map:
            tf_logging.info('No assets to write.')
            return
        copy_assets_to_destination_dir(asset_filename_map, self._export_dir)

    def _tag_and_add_meta_graph(self, meta_graph_def, tags, signature_def_map):
        for tag in tags:
            meta_graph_def.meta_info_def.tags.append(tag)
        if signature_def_map is not None:
            for key in signature_def_map:
                meta_graph_def.signature_def[key].CopyFrom(signature_def_map[key])
        self._saved_model.meta_graphs.add().CopyFrom(meta_graph_def)

    def _validate_tensor_info(self, tensor_info):
        if tensor_info is None:
            raise AssertionError('All TensorInfo protos used in the SignatureDefs must have the '
                                 'name and dtype fields set.')
        if tensor_info.WhichOneof('encoding') is None:
            raise AssertionError('All TensorInfo protos used in the SignatureDefs must have one '
                                 'of the \'encoding\' fields (e.g., name or coo_sparse) set: %s'
                                 % tensor_info)
        if tensor_info.WhichOneof('encoding') == 'composite_tensor':
            for component in tensor_info.composite_tensor.components:
                self._validate_tensor_info(component)
        elif not tensor_info.dtype:
            raise AssertionError('All TensorInfo protos used in the SignatureDefs must have the '
                                 'dtype field set: %s' % tensor_info)

    def _validate_signature_def_map(self, signature_def_map):
        for signature_def in signature_def_map.values():
            for infos in (signature_def.inputs, signature_def.outputs):
                for key in infos:
                    self._validate_tensor_info(infos[key])
        for key in (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY):
            if key in signature_def_map:
                raise KeyError('SignatureDef map key "%s" is reserved for %s. Please use a '
                               'different key.' % (key, 'initialization' if key ==
                                                   constants.INIT_OP_SIGNATURE_KEY else
                                                   'the train op'))

    def _maybe_create_saver(self, saver=None):
        if not saver:
            saver = tf_saver.Saver(variables._all_saveable_objects(), sharded=True,
                                   write_version=saver_pb2.SaverDef.V2, allow_empty=True)
        return saver

    def _write_variables(self, sess, saver):
        path = os.path.join(saved_model_utils.get_or_create_variables_dir(self._export_dir),
                            constants.VARIABLES_FILENAME)
        saver.save(sess, path, write_meta_graph=False, write_state=False)

    def _expect(self, saved):
        if self._has_saved_variables and not saved:
            raise AssertionError('Graph state including variables and assets has already been '
                                 'saved. Please invoke `add_meta_graph()` instead.')
        if saved and not self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has not been saved '
                                 'yet. Please invoke `add_meta_graph_and_variables()` first.')

    def _with_ops(self, signature_def_map, init_op, train_op):
        """The map with the signatures that name the ops."""
        signature_def_map = dict(signature_def_map or {})
        self._validate_signature_def_map(signature_def_map)
        _add_op_to_signature_def_map(signature_def_map, init_op, constants.INIT_OP_SIGNATURE_KEY)
        _add_op_to_signature_def_map(signature_def_map, train_op,
                                     constants.TRAIN_OP_SIGNATURE_KEY)
        return signature_def_map

    # ---- what programs call ----

    def add_meta_graph(self, tags, signature_def_map=None, assets_list=None, clear_devices=False,
                       init_op=None, train_op=None, saver=None):
        """Adds the default graph; its variables are those that were saved."""
        self._expect(saved=True)
        signature_def_map = self._with_ops(signature_def_map, init_op, train_op)
        saver = self._maybe_create_saver(saver)
        meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices,
                                                 strip_default_attrs=True)
        self._save_and_write_assets(meta_graph_def, assets_list)
        self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_list=None,
                                     clear_devices=False, init_op=None, train_op=None,
                                     strip_default_attrs=False, saver=None):
        """Adds the default graph, and the variables of a session."""
        self._expect(saved=False)
        signature_def_map = self._with_ops(signature_def_map, init_op, train_op)
        saved_model_utils.get_or_create_variables_dir(self._export_dir)
        saver = self._maybe_create_saver(saver)
        self._write_variables(sess, saver)
        meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices,
                                                 strip_default_attrs=strip_default_attrs)
        self._save_and_write_assets(meta_graph_def, assets_list)
        self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)
        self._has_saved_variables = True

    def save(self, as_text=False):
        """Writes the SavedModel: the path of its file."""
        if not file_io.file_exists(self._export_dir):
            file_io.recursive_create_dir(self._export_dir)
        if as_text:
            path = os.path.join(compat.as_bytes(self._export_dir),
                                compat.as_bytes(constants.SAVED_MODEL_FILENAME_PBTXT))
            file_io.write_string_to_file(path, str(self._saved_model))
        else:
            path = os.path.join(compat.as_bytes(self._export_dir),
                                compat.as_bytes(constants.SAVED_MODEL_FILENAME_PB))
            file_io.write_string_to_file(path, self._saved_model.SerializeToString())
        tf_logging.info('SavedModel written to: %s', compat.as_text(path))
        return path


@tf_export(v1=['saved_model.Builder', 'saved_model.builder.SavedModelBuilder'])
class SavedModelBuilder(_SavedModelBuilder):
    """Writes a SavedModel into a folder that is empty or not there."""

    def _add_collections(self, assets_collection, main_op, train_op):
        self._save_and_write_assets(assets_collection)
        self._maybe_add_main_op(main_op)
        self._add_train_op(train_op)

    def _save_and_write_assets(self, assets_collection_to_add=None):
        self._copy_assets(_maybe_save_assets(_add_asset_to_collection, assets_collection_to_add))

    def _maybe_add_main_op(self, main_op):
        if main_op is None:
            return
        if not isinstance(main_op, ops.Operation):
            raise TypeError('main_op needs to be an Operation: %r' % main_op)
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if ops.get_collection(key):
                raise ValueError('Graph already contains one or more main ops under the '
                                 'collection {}.'.format(key))
        ops.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _add_train_op(self, train_op):
        if train_op is not None:
            if not isinstance(train_op, (ops.Tensor, ops.Operation)):
                raise TypeError('train_op needs to be a Tensor or Op: %r' % train_op)
            ops.add_to_collection(constants.TRAIN_OP_KEY, train_op)

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None,
                       legacy_init_op=None, clear_devices=False, main_op=None,
                       strip_default_attrs=False, saver=None):
        """Adds the default graph; its variables are those that were saved."""
        self._expect(saved=True)
        self._validate_signature_def_map(signature_def_map or {})
        main_op = main_op if main_op is not None else legacy_init_op
        self._add_collections(assets_collection, main_op, None)
        saver = self._maybe_create_saver(saver)
        meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices,
                                                 strip_default_attrs=strip_default_attrs)
        self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None,
                                     assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None,
                                     strip_default_attrs=False, saver=None):
        """Adds the default graph, and the variables of a session."""
        self._expect(saved=False)
        self._validate_signature_def_map(signature_def_map or {})
        main_op = main_op if main_op is not None else legacy_init_op
        self._add_collections(assets_collection, main_op, None)
        saved_model_utils.get_or_create_variables_dir(self._export_dir)
        saver = self._maybe_create_saver(saver)
        self._write_variables(sess, saver)
        meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices,
                                                 strip_default_attrs=strip_default_attrs)
        self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)
        self._has_saved_variables = True


# ---- assets ----

def _maybe_save_assets(write_fn, assets_to_add=None):
    """{name in the SavedModel: path} of the assets; each is told to write_fn."""
    found = {}
    if assets_to_add is None:
        tf_logging.info('No assets to save.')
        return found
    for asset_tensor in assets_to_add:
        path = _asset_path_from_tensor(asset_tensor)
        if not path:
            raise ValueError('Invalid asset filepath tensor %s' % asset_tensor)
        name = get_asset_filename_to_add(path, found)
        write_fn(name, asset_tensor)
        found[name] = path
    tf_logging.info('Assets added to graph.')
    return found


def get_asset_filename_to_add(asset_filepath, asset_filename_map):
    """The name of a file among the assets: its own, or that with a number."""
    name = os.path.basename(asset_filepath)
    if name not in asset_filename_map or asset_filename_map[name] == asset_filepath:
        return name
    return _get_unique_asset_filename(name, asset_filename_map)


def _get_unique_asset_filename(asset_filename, asset_filename_map):
    i, name = 1, asset_filename
    while name in asset_filename_map:
        name = '%s_%d' % (asset_filename, i)
        i += 1
    return name


def _asset_path_from_tensor(path_tensor):
    """The path in a constant."""
    if not isinstance(path_tensor, ops.Tensor):
        raise TypeError('Asset path tensor must be a Tensor.')
    if path_tensor.op.type != 'Const':
        raise TypeError('Asset path tensor must be of type constant.')
    if path_tensor.dtype != dtypes.string:
        raise TypeError('Asset path tensor must be of dtype string.')
    values = tensor_util.MakeNdarray(path_tensor.op.get_attr('value')).ravel()
    if len(values) != 1:
        raise TypeError('Asset path tensor must be a scalar.')
    return compat.as_str_any(values[0])


def _add_asset_to_metagraph(meta_graph_def, asset_filename, asset_tensor):
    asset = meta_graph_def.asset_file_def.add()
    asset.filename = asset_filename
    asset.tensor_info.name = asset_tensor.name


def _writer_to(meta_graph_def):
    def write(asset_filename, asset_tensor):
        _add_asset_to_metagraph(meta_graph_def, asset_filename, asset_tensor)
    return write


def _add_asset_to_collection(asset_filename, asset_tensor):
    from leat import _message
    asset = meta_graph_pb2.AssetFileDef()
    asset.filename = asset_filename
    asset.tensor_info.name = asset_tensor.name
    wrapped = _message.message_class('google.protobuf.Any')()
    wrapped.Pack(asset)
    ops.add_to_collection(constants.ASSETS_KEY, wrapped)


def copy_assets_to_destination_dir(asset_filename_map, destination_dir):
    """Copies the assets into their folder."""
    folder = saved_model_utils.get_or_create_assets_dir(destination_dir)
    for name, source in asset_filename_map.items():
        path = os.path.join(compat.as_bytes(folder), compat.as_bytes(name))
        file_io.copy(compat.as_bytes(source), path, overwrite=True)
    tf_logging.info('Assets written to: %s', compat.as_text(folder))


def _add_op_to_signature_def_map(signature_def_map, op, key):
    if op is not None:
        signature_def_map[key] = signature_def_utils.op_signature_def(op, key)
