# SPDX-License-Identifier: Apache-2.0
"""Saver: variables to checkpoints and back; MetaGraphs to files and back.

The nodes are saver_builder's, the files beside a checkpoint checkpoint_management's, MetaGraphs
framework/meta_graph's.
"""
import os.path
import time

from leat.core.protobuf import meta_graph_pb2
from leat.core.protobuf import saver_pb2
from leat.python.client import session
from leat.python.framework import errors
from leat.python.framework import meta_graph
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging
from leat.python.training import checkpoint_management
from leat.python.training import saveable_object_util
from leat.python.training import training_util
from leat.python.training.saver_builder import BaseSaverBuilder, BulkSaverBuilder
from leat.python.util import compat

latest_checkpoint = checkpoint_management.latest_checkpoint
checkpoint_exists = checkpoint_management.checkpoint_exists
get_checkpoint_state = checkpoint_management.get_checkpoint_state
get_checkpoint_mtimes = checkpoint_management.get_checkpoint_mtimes
generate_checkpoint_state_proto = checkpoint_management.generate_checkpoint_state_proto
update_checkpoint_state = checkpoint_management.update_checkpoint_state
remove_checkpoint = checkpoint_management.remove_checkpoint


def _get_saver_or_default():
    """The graph's one Saver, or a new one that is then the graph's."""
    savers = ops.get_collection(ops.GraphKeys.SAVERS)
    if savers:
        if len(savers) > 1:
            raise RuntimeError('More than one item in collection {}. Please indicate which one '
                               'to use by passing it to the constructor.'
                               .format(ops.GraphKeys.SAVERS))
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    if saver is not None:
        ops.add_to_collection(ops.GraphKeys.SAVERS, saver)
    return saver


class Saver(object):
    """Saves variables to files and gives them back what files have."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False,
                 saver_def=None, builder=None, defer_build=False, allow_empty=False,
                 write_version=saver_pb2.SaverDef.V2, pad_step_number=False,
                 save_relative_paths=False, filename=None):
        if defer_build and var_list:
            raise ValueError('If `var_list` is provided then build cannot be deferred. Either set '
                             'defer_build=False or var_list=None.')
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def = saver_def
        self._builder = builder
        self._is_built = False
        self._allow_empty = allow_empty
        self._is_empty = None
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._filename = filename
        self._last_checkpoints = []
        self._checkpoints_to_be_deleted = []
        self._next_checkpoint_time = None
        self._save_relative_paths = save_relative_paths
        self._object_restore_saver = None
        if not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def build(self):
        """Adds the nodes, unless a SaverDef says that they are there."""
        if self._is_built:
            return
        self._is_built = True
        if not self.saver_def:
            if self._builder is None:
                self._builder = BulkSaverBuilder(self._write_version)
            if self._var_list is None:
                self._var_list = variables._all_saveable_objects()
            if not self._var_list:
                if self._allow_empty:
                    self._is_empty = True
                    return
                raise ValueError('No variables to save')
            self._is_empty = False
            self.saver_def = self._builder._build_internal(
                self._var_list, reshape=self._reshape, sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name, restore_sequentially=self._restore_sequentially,
                filename=self._filename)
        elif self._name:
            # Of one that a SaverDef says, the name is the scope that its nodes were imported to.
            own = saver_pb2.SaverDef()
            own.CopyFrom(self.saver_def)
            for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
                setattr(own, field, ops.prepend_name_scope(getattr(own, field), self._name))
            self.saver_def = own
        self._check_saver_def()
        self._next_checkpoint_time = (
            time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600)

    def _check_saver_def(self):
        if not isinstance(self.saver_def, saver_pb2.SaverDef):
            raise ValueError('saver_def must be a saver_pb2.SaverDef: %s' % self.saver_def)
        if not self.saver_def.save_tensor_name:
            raise ValueError('saver_def must specify the save_tensor_name: %s'
                             % str(self.saver_def))
        if not self.saver_def.restore_op_name:
            raise ValueError('saver_def must specify the restore_op_name: %s'
                             % str(self.saver_def))

    # ---- which checkpoints there are ----

    def _CheckpointFilename(self, p):
        return p[0]

    def _RecordLastCheckpoint(self, latest_save_path):
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [p for p in self._last_checkpoints
                                  if self._CheckpointFilename(p) != latest_save_path]
        self._last_checkpoints.append((latest_save_path, time.time()))
        if len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _MaybeDeleteOldCheckpoints(self, meta_graph_suffix='meta'):
        if not self._checkpoints_to_be_deleted:
            return
        p = self._checkpoints_to_be_deleted.pop(0)
        if p[1] > self._next_checkpoint_time:
            self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        try:
            checkpoint_management.remove_checkpoint(self._CheckpointFilename(p),
                                                    self.saver_def.version, meta_graph_suffix)
        except Exception as e:  # a file that cannot be removed does not stop training
            logging.warning('Ignoring: %s', str(e))

    @property
    def last_checkpoints(self):
        """The names of those not yet deleted, oldest first."""
        return [self._CheckpointFilename(p) for p in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints):
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(s, float('inf')) for s in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths):
        """Takes the files of an earlier run for this one's."""
        with_time = []
        for path in checkpoint_paths:
            try:
                mtime = checkpoint_management.get_checkpoint_mtimes([path])
            except errors.NotFoundError:
                continue
            if mtime:
                with_time.append((path, mtime[0]))
        self.set_last_checkpoints_with_time(with_time)

    # ---- what it is ----

    def as_saver_def(self):
        return self.saver_def

    def to_proto(self, export_scope=None):
        """A SaverDef; None where it is not below export_scope."""
        if export_scope is None:
            return self.saver_def
        if not (self.saver_def.filename_tensor_name.startswith(export_scope) and
                self.saver_def.save_tensor_name.startswith(export_scope) and
                self.saver_def.restore_op_name.startswith(export_scope)):
            return None
        saver_def = saver_pb2.SaverDef()
        saver_def.CopyFrom(self.saver_def)
        for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
            setattr(saver_def, field, ops.strip_name_scope(getattr(saver_def, field),
                                                           export_scope))
        return saver_def

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- saving ----

    def _file_of(self, sess, save_path, global_step, latest_filename):
        if global_step is None:
            if os.path.basename(save_path) == latest_filename and not self._sharded:
                raise ValueError("'latest_filename' collides with 'save_path': '%s' and '%s'"
                                 % (latest_filename, save_path))
            return save_path
        if not isinstance(global_step, compat.integral_types):
            global_step = training_util.global_step(sess, global_step)
        pattern = '%s-%08d' if self._pad_step_number else '%s-%d'
        return pattern % (save_path, global_step)

    def save(self, sess, save_path, global_step=None, latest_filename=None,
             meta_graph_suffix='meta', write_meta_graph=True, write_state=True,
             strip_default_attrs=False, save_debug_info=False):
        """Writes a checkpoint; its name, which restore() takes."""
        if not self._is_built:
            raise RuntimeError('`build()` should be called before save if defer_build==True')
        if latest_filename is None:
            latest_filename = 'checkpoint'
        save_path = compat.as_str(compat.path_to_str(save_path))
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        checkpoint_file = self._file_of(sess, save_path, global_step, latest_filename)
        if not isinstance(sess, session.SessionInterface):
            raise TypeError("'sess' must be a Session; %s" % sess)
        path = None
        if not self._is_empty:
            path = self._save_values(sess, save_path, checkpoint_file, latest_filename,
                                     meta_graph_suffix, write_state)
        if write_meta_graph:
            meta_graph_filename = checkpoint_management.meta_graph_filename(
                checkpoint_file, meta_graph_suffix=meta_graph_suffix)
            with sess.graph.as_default():
                self.export_meta_graph(meta_graph_filename,
                                       strip_default_attrs=strip_default_attrs,
                                       save_debug_info=save_debug_info)
        return path

    def _save_values(self, sess, save_path, checkpoint_file, latest_filename, meta_graph_suffix,
                     write_state):
        parent = os.path.dirname(save_path)
        try:
            path = compat.as_str(sess.run(
                self.saver_def.save_tensor_name,
                {self.saver_def.filename_tensor_name: checkpoint_file}))
            if write_state:
                self._RecordLastCheckpoint(path)
                checkpoint_management.update_checkpoint_state_internal(
                    save_dir=parent, model_checkpoint_path=path,
                    all_model_checkpoint_paths=self.last_checkpoints,
                    latest_filename=latest_filename,
                    save_relative_paths=self._save_relative_paths)
                self._MaybeDeleteOldCheckpoints(meta_graph_suffix=meta_graph_suffix)
            return path
        except (errors.FailedPreconditionError, errors.NotFoundError):
            if not file_io.is_directory(parent):
                raise ValueError("Parent directory of {} doesn't exist, can't save."
                                 .format(save_path)) from None
            raise

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False,
                          export_scope=None, clear_devices=False, clear_extraneous_savers=False,
                          strip_default_attrs=False, save_debug_info=False):
        """The default graph and this saver as a MetaGraphDef, and in a file where one is named."""
        return export_meta_graph(
            filename=filename, graph_def=ops.get_default_graph().as_graph_def(add_shapes=True),
            saver_def=self.saver_def, collection_list=collection_list, as_text=as_text,
            export_scope=export_scope, clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)

    # ---- restoring ----

    def restore(self, sess, save_path):
        """Gives the variables what a checkpoint has of them."""
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError('Can\'t load save_path when it is None.')
        prefix = compat.as_str(compat.path_to_str(save_path))
        if not checkpoint_management.checkpoint_exists(prefix):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + prefix)
        logging.info('Restoring parameters from %s', prefix)
        try:
            sess.run(self.saver_def.restore_op_name,
                     {self.saver_def.filename_tensor_name: prefix})
        except errors.NotFoundError as err:
            if self._restore_of_objects(sess, prefix):
                return
            raise _wrap_restore_error_with_msg(
                err, 'a Variable name or other graph key that is missing') from None
        except errors.InvalidArgumentError as err:
            raise _wrap_restore_error_with_msg(
                err, 'a mismatch between the current graph and the graph') from None


    def _restore_of_objects(self, sess, prefix):
        """Restores by names from a checkpoint of objects, which has the names of variables too;
        whether it was one that has them all."""
        try:
            keys = object_graph_key_mapping(prefix)
        except errors.NotFoundError:  # no such message: a checkpoint by names
            return False
        saveables = saveable_object_util.validate_and_slice_inputs(
            self._var_list) if self._var_list else []
        if not saveables or any(spec.name not in keys for saveable in saveables
                                for spec in saveable.specs):
            return False
        logging.warning('Restoring an object-based checkpoint using a name-based saver. This may '
                        'be somewhat fragile, and will re-build the Saver. Instead, consider '
                        'loading object-based checkpoints using tf.train.Checkpoint().')
        if self._object_restore_saver is None:
            for saveable in saveables:
                for spec in saveable.specs:
                    spec.name = keys[spec.name]
            with sess.graph.as_default():
                self._object_restore_saver = Saver(saveables)
        self._object_restore_saver.restore(sess, prefix)
        return True


def _wrap_restore_error_with_msg(err, extra_verbiage):
    return err.__class__(
        err.node_def, err.op,
        'Restoring from checkpoint failed. This is most likely due to {} from the checkpoint. '
        'Please ensure that you have not altered the graph expected based on the checkpoint. '
        'Original error:\n\n{}'.format(extra_verbiage, err.message))


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds a MetaGraph to the default graph; its Saver, or None if it has nothing to save."""
    return _import_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def _import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices=False,
                                            import_scope=None, return_elements=None, **kwargs):
    if not isinstance(meta_graph_or_file, meta_graph_pb2.MetaGraphDef):
        meta_graph_def = meta_graph.read_meta_graph_file(meta_graph_or_file)
    else:
        meta_graph_def = meta_graph_or_file
    imported_vars, elements = meta_graph.import_scoped_meta_graph_with_return_elements(
        meta_graph_def, clear_devices=clear_devices, import_scope=import_scope,
        return_elements=return_elements, **kwargs)
    saver = _create_saver_from_imported_meta_graph(meta_graph_def, import_scope, imported_vars)
    return saver, elements


def _create_saver_from_imported_meta_graph(meta_graph_def, import_scope, imported_vars):
    if meta_graph_def.HasField('saver_def'):
        scope = import_scope
        if imported_vars:
            # The scope may have got another name to be unique: that which variables have now.
            key = next(iter(imported_vars))
            scope = imported_vars[key].name[:-len(key)]
        return Saver(saver_def=meta_graph_def.saver_def, name=scope)
    if variables._all_saveable_objects(scope=import_scope):
        return Saver()
    logging.info('Saver not created because there are no variables in the graph to restore')
    return None


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None,
                      collection_list=None, as_text=False, graph=None, export_scope=None,
                      clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False, **kwargs):
    """A graph as a MetaGraphDef, and in a file where one is named."""
    return meta_graph.export_scoped_meta_graph(
        filename=filename, meta_info_def=meta_info_def, graph_def=graph_def, saver_def=saver_def,
        collection_list=collection_list, as_text=as_text, graph=graph, export_scope=export_scope,
        clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info, **kwargs)[0]


def object_graph_key_mapping(checkpoint_path):
    """{name: key} of a checkpoint of objects."""
    from leat.core.protobuf import trackable_object_graph_pb2
    from leat.python.pywrap_tensorflow import NewCheckpointReader
    reader = NewCheckpointReader(checkpoint_path)
    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    graph.ParseFromString(reader.get_tensor('_CHECKPOINTABLE_OBJECT_GRAPH'))
    return {a.full_name: a.checkpoint_key for node in graph.nodes for a in node.attributes}


ops.register_proto_function(ops.GraphKeys.SAVERS, proto_type=saver_pb2.SaverDef,
                            to_proto=Saver.to_proto, from_proto=Saver.from_proto)

_ = BaseSaverBuilder
