# SPDX-License-Identifier: Apache-2.0
"""Exports a model as programs of 2016 did: a checkpoint, a MetaGraph with its signatures in
collections, files beside them. Newer programs write SavedModels (saved_model/builder.py)."""
import os

from leat import _message
from leat.contrib.session_bundle import constants
from leat.contrib.session_bundle import gc
from leat.contrib.session_bundle import manifest_pb2
from leat.core.framework import graph_pb2
from leat.core.protobuf import saver_pb2
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.platform import tf_logging as logging
from leat.python.training import saver as tf_saver
from leat.python.training import training_util
from leat.python.util import compat
from leat.python.util.deprecation import deprecated

_SWITCH = deprecated('2017-06-30', 'No longer supported. Switch to SavedModel immediately.')


@_SWITCH
def gfile_copy_callback(files_to_copy, export_dir_path):
    """Copies {path: name in the export's assets}."""
    logging.info('Write assets into: %s using gfile_copy.', export_dir_path)
    file_io.recursive_create_dir(export_dir_path)
    for source, name in files_to_copy.items():
        file_io.copy(source, os.path.join(export_dir_path, name), overwrite=False)


@_SWITCH
def regression_signature(input_tensor, output_tensor):
    """The signature of a model from one tensor to another."""
    signature = manifest_pb2.Signature()
    signature.regression_signature.input.tensor_name = input_tensor.name
    signature.regression_signature.output.tensor_name = output_tensor.name
    return signature


@_SWITCH
def classification_signature(input_tensor, classes_tensor=None, scores_tensor=None):
    """The signature of a classifier: its classes, their scores, or both."""
    if classes_tensor is None and scores_tensor is None:
        raise ValueError('Either classes_tensor or scores_tensor must be set.')
    signature = manifest_pb2.Signature()
    part = signature.classification_signature
    part.input.tensor_name = input_tensor.name
    if classes_tensor is not None:
        part.classes.tensor_name = classes_tensor.name
    if scores_tensor is not None:
        part.scores.tensor_name = scores_tensor.name
    return signature


@_SWITCH
def generic_signature(name_tensor_map):
    """The signature of tensors by names of one's own."""
    signature = manifest_pb2.Signature()
    for name, tensor in name_tensor_map.items():
        signature.generic_signature.map[name].tensor_name = tensor.name
    return signature


class Exporter(object):
    """Writes numbered exports of a model below a folder."""

    def __init__(self, saver):
        # Devices and names of the saver's nodes are the graph's: only its definition is copied.
        saver_def = saver_pb2.SaverDef()
        saver_def.CopyFrom(saver.as_saver_def())
        saver_def.max_to_keep = 0
        self._saver = tf_saver.Saver(saver_def=saver_def)
        self._has_init = False
        self._assets_to_copy = {}
        self._assets_callback = None

    @_SWITCH
    def init(self, graph_def=None, init_op=None, clear_devices=False,
             default_graph_signature=None, named_graph_signatures=None, assets_collection=None,
             assets_callback=gfile_copy_callback):
        """Notes what is exported in collections of the default graph."""
        if self._has_init:
            raise RuntimeError('init() has already been called')
        self._has_init = True
        if graph_def or clear_devices:
            self._note_graph(graph_def, clear_devices)
        if init_op is not None:
            if not isinstance(init_op, ops.Operation):
                raise TypeError('init_op needs to be an Operation: %s' % init_op)
            ops.add_to_collection(constants.INIT_OP_KEY, init_op)
        self._note_signatures(default_graph_signature, named_graph_signatures)
        self._assets_callback = assets_callback if assets_collection else None
        for asset in assets_collection or []:
            path = self._file_path_value(asset)
            if not path:
                raise ValueError('Invalid filepath tensor: %s' % asset)
            name = os.path.basename(path)
            ops.add_to_collection(constants.ASSETS_KEY, _packed(manifest_pb2.AssetFile(
                filename=name,
                tensor_binding=manifest_pb2.TensorBinding(tensor_name=asset.name))))
            self._assets_to_copy[path] = name

    @staticmethod
    def _note_graph(graph_def, clear_devices):
        copied = graph_pb2.GraphDef()
        copied.CopyFrom(graph_def or ops.get_default_graph().as_graph_def())
        if clear_devices:
            for node in copied.node:
                node.device = ''
        ops.add_to_collection(constants.GRAPH_KEY, _packed(copied))

    @staticmethod
    def _note_signatures(default, named):
        signatures = manifest_pb2.Signatures()
        if default:
            signatures.default_signature.CopyFrom(default)
        for name, signature in (named or {}).items():
            signatures.named_signatures[name].CopyFrom(signature)
        ops.add_to_collection(constants.SIGNATURES_KEY, _packed(signatures))

    @staticmethod
    def _file_path_value(path_tensor):
        if not isinstance(path_tensor, ops.Tensor):
            raise TypeError('tensor is not a Tensor')
        if path_tensor.op.type != 'Const':
            raise TypeError('Only constants tensor are supported')
        if path_tensor.dtype.name != 'string':
            raise TypeError('File paths should be string')
        values = path_tensor.op.get_attr('value').string_val
        if len(values) != 1:
            raise TypeError('Only scalar tensors are supported')
        return compat.as_str(values[0])

    @_SWITCH
    def export(self, export_dir_base, global_step_tensor, sess=None, exports_to_keep=None):
        """Writes the export of a step; its folder."""
        if not self._has_init:
            raise RuntimeError('init must be called first')
        base = compat.as_str(export_dir_base)
        step = training_util.global_step(sess, global_step_tensor)
        export_dir = os.path.join(base, '%08d' % step)
        # The folder gets its name when all of it is there, so that readers see whole ones only.
        temporary = export_dir + '-tmp'
        file_io.recursive_create_dir(temporary)
        self._saver.save(sess, os.path.join(temporary, constants.EXPORT_BASE_NAME),
                         meta_graph_suffix='meta')
        if self._assets_callback and self._assets_to_copy:
            self._assets_callback(self._assets_to_copy,
                                  os.path.join(temporary, constants.ASSETS_DIRECTORY))
        file_io.rename(temporary, export_dir)
        if exports_to_keep:
            _remove_old(base, exports_to_keep)
        return compat.as_bytes(export_dir)


def _packed(message):
    """The message as an Any."""
    holder = _message.message_class('google.protobuf.Any')()
    holder.Pack(message)
    return holder


def _remove_old(base, exports_to_keep):
    """Removes what exports_to_keep, a function of lists of gc.Path, does not keep."""
    def numbered(path):
        name = os.path.basename(path.path)
        return path._replace(export_version=int(name)) if name.isdigit() else None
    for path in gc.negation(exports_to_keep)(gc.get_paths(base, parser=numbered)):
        file_io.delete_recursively(path.path)
