# SPDX-License-Identifier: Apache-2.0
"""tf.train.Checkpoint: values saved by what objects they are parts of, not by variables' names."""
import os

from leat.core.protobuf import trackable_object_graph_pb2
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.ops import array_ops
from leat.python.ops import variables
from leat.python.training import checkpoint_management
from leat.python.training import saveable_object
from leat.python.training import saveable_object_util
from leat.python.training import saver as saver_lib
from leat.python.training.tracking import base
from leat.python.training.tracking import object_graph
from leat.python.training.tracking import tracking

_GRAPH_KEY = base.OBJECT_GRAPH_PROTO_KEY


def get_session():
    """The default session."""
    return ops.get_default_session()


def _session(session):
    session = session or get_session()
    if session is None:
        raise RuntimeError('A session is needed: pass one, or make one the default with a `with` '
                           'block.')
    return session


class _GraphSaveable(saveable_object.SaveableObject):
    """The message of the object graph."""

    def __init__(self, tensor):
        super(_GraphSaveable, self).__init__(
            tensor, [saveable_object.SaveSpec(tensor, '', _GRAPH_KEY)], _GRAPH_KEY)


def _saveables(obj, attribute, key):
    """The SaveableObjects of one value of an object."""
    factory = object_graph.values_of(obj)[attribute]
    value = factory(name=key) if callable(factory) else factory
    if isinstance(value, saveable_object.SaveableObject):
        return [value]
    return list(saveable_object_util.saveable_objects_for_op(value, key))


class TrackableSaver(object):
    """Saves and restores all values below a root; its nodes are made again only for new parts."""

    def __init__(self, root):
        self._root = root
        self._saves = {}  # (graph, message): (prefix, the op's output)

    def save(self, file_prefix, session=None):
        """Writes the values; the checkpoint's name."""
        session = _session(session)
        graph = object_graph.ObjectGraph(self._root)
        message = graph.proto().SerializeToString()
        with session.graph.as_default():
            made = self._saves.get((session.graph, message))
            if made is None:
                made = self._saves[session.graph, message] = self._save_nodes(graph, message)
        folder = os.path.dirname(file_prefix)
        if folder:
            file_io.recursive_create_dir(folder)
        prefix, output = made
        return session.run(output, feed_dict={prefix: file_prefix}).decode('utf-8')

    @staticmethod
    def _save_nodes(graph, message):
        with ops.init_scope():
            with ops.device('/cpu:0'):
                prefix = array_ops.placeholder_with_default('model', shape=(), name='Const')
                tensor = constant_op.constant(message, dtype=dtypes.string)
            saveables = [saveable for obj in graph.objects for attribute in
                         object_graph.values_of(obj)
                         for saveable in _saveables(obj, attribute, graph.key(obj, attribute))]
            builder = saver_lib.BulkSaverBuilder()
            per_device = builder._GroupByDevices(saveables + [_GraphSaveable(tensor)])
            return prefix, builder._AddShardedSaveOps(prefix, per_device)

    def restore(self, save_path):
        """The status of a restoration, which its methods bring about."""
        if save_path is None:
            return InitializationOnlyStatus(self._root)
        reader = checkpoint_reader(save_path)
        if not reader.has_tensor(_GRAPH_KEY):
            return NameBasedSaverStatus(self._root, save_path, reader)
        message = trackable_object_graph_pb2.TrackableObjectGraph()
        message.ParseFromString(reader.get_tensor(_GRAPH_KEY))
        return CheckpointLoadStatus(self._root, save_path, message)


def checkpoint_reader(save_path):
    from leat.python import pywrap_tensorflow
    return pywrap_tensorflow.NewCheckpointReader(save_path)


def _restore_ops(save_path, wanted):
    """The ops that give values their tensors: wanted are (object, attribute, key)."""
    made = []
    builder = saver_lib.BaseSaverBuilder()
    with ops.init_scope():
        with ops.device('/cpu:0'):
            prefix = constant_op.constant(save_path)
        for obj, attribute, key in wanted:
            for saveable in _saveables(obj, attribute, key):
                with ops.device(saveable_object_util.set_cpu0(saveable.device)
                                if saveable.device else None):
                    tensors = builder.restore_op(prefix, saveable, -1)
                made.append(saveable.restore(tensors, None))
    return made


def gather_initializers(root_trackable):
    """The initialisers of all variables below a root."""
    found = object_graph.ObjectGraph(root_trackable).objects
    return [obj.initializer for obj in found
            if getattr(obj, 'initializer', None) is not None]


def list_objects(root_trackable):
    """All objects below a root, itself first."""
    return object_graph.ObjectGraph(root_trackable).objects


def object_metadata(save_path):
    """The object graph of a checkpoint."""
    reader = checkpoint_reader(save_path)
    if not reader.has_tensor(_GRAPH_KEY):
        raise ValueError('The specified checkpoint "%s" does not appear to be object-based (saved '
                         'with TF2) since it is missing the key "%s". Likely it was created with a '
                         'name-based saver and does not contain an object dependency graph.' % (
                             save_path, _GRAPH_KEY))
    message = trackable_object_graph_pb2.TrackableObjectGraph()
    message.ParseFromString(reader.get_tensor(_GRAPH_KEY))
    return message


class _LoadStatus(object):
    """What restore() gives; its run_restore_ops and initialize_or_restore change values."""

    def __init__(self, root):
        self._root = root

    def expect_partial(self):
        return self


class CheckpointLoadStatus(_LoadStatus):
    """Of a checkpoint of objects; parts that are made after restore() count too."""

    def __init__(self, root, save_path, message):
        super(CheckpointLoadStatus, self).__init__(root)
        self._save_path, self._message = save_path, message
        self._made = {}

    def _bound(self):
        return object_graph.bind(self._message, self._root)

    def _path(self, node_id):
        """(root).a.b of a node."""
        paths, waiting = {0: '(root)'}, [0]
        while waiting:
            at = waiting.pop(0)
            for child in self._message.nodes[at].children:
                if child.node_id not in paths:
                    paths[child.node_id] = paths[at] + '.' + child.local_name
                    waiting.append(child.node_id)
        for at, node in enumerate(self._message.nodes):
            for slot in node.slot_variables:
                paths.setdefault(slot.slot_variable_node_id, "%s's state '%s' for %s" % (
                    paths.get(at), slot.slot_name, paths.get(slot.original_variable_node_id)))
        return paths.get(node_id, '(unknown)')

    def assert_consumed(self):
        """Every object of the checkpoint, and every one of the program, has its other."""
        bound = self._bound()
        for node_id, node in enumerate(self._message.nodes):
            obj = bound.get(node_id)
            if obj is None:
                raise AssertionError('Unresolved object in checkpoint %s: %s' % (
                    self._path(node_id), node))
            unused = [a for a in node.attributes if a.name not in object_graph.values_of(obj)]
            if unused:
                raise AssertionError(
                    'Unused attributes in these objects (the attributes exist in the checkpoint '
                    'but not in the objects): %s' % ([obj] + unused,))
        known = {id(obj) for obj in bound.values()}
        unused = [obj for obj in object_graph.ObjectGraph(self._root).objects
                  if id(obj) not in known]
        if unused:
            raise AssertionError('Some Python objects were not bound to checkpointed values, '
                                 'likely due to changes in the Python program: %s' % (unused,))
        return self

    def assert_existing_objects_matched(self):
        """Every object of the program that has values is in the checkpoint."""
        known = {id(obj) for obj in self._bound().values()}
        unused = [obj for obj in object_graph.ObjectGraph(self._root).objects
                  if id(obj) not in known and object_graph.values_of(obj)]
        if unused:
            raise AssertionError('Some Python objects were not bound to checkpointed values, '
                                 'likely due to changes in the Python program: %s' % (unused,))
        return self

    def assert_nontrivial_match(self):
        """Something beside the root and its counter is restored."""
        for node_id, obj in self._bound().items():
            if node_id and obj is not getattr(self._root, 'save_counter', None):
                return self
        raise AssertionError('Nothing except the root object matched a checkpointed value. '
                             'Typically this means that the checkpoint does not match the Python '
                             'program.')

    def _ops(self):
        """The ops of the values that the program has by now; each is made once."""
        graph = ops.get_default_graph()
        wanted = []
        for node_id, obj in sorted(self._bound().items()):
            has = object_graph.values_of(obj)
            wanted += [(obj, a.name, a.checkpoint_key)
                       for a in self._message.nodes[node_id].attributes if a.name in has]
        new = [w for w in wanted if (graph, id(w[0]), w[1]) not in self._made]
        for what in new:
            self._made[graph, id(what[0]), what[1]] = _restore_ops(self._save_path, [what])
        return [op for w in wanted for op in self._made[graph, id(w[0]), w[1]]]

    def run_restore_ops(self, session=None):
        session = _session(session)
        with session.graph.as_default():
            restore = self._ops()
        session.run(restore)

    def initialize_or_restore(self, session=None):
        """Restores what the checkpoint has, initialises what it has not."""
        session = _session(session)
        known = {id(obj) for obj in self._bound().values()}
        others = [obj.initializer for obj in object_graph.ObjectGraph(self._root).objects
                  if id(obj) not in known and getattr(obj, 'initializer', None) is not None]
        self.run_restore_ops(session)
        session.run(others)


class InitializationOnlyStatus(_LoadStatus):
    """Where there is no checkpoint."""

    def _none(self):
        raise AssertionError('No checkpoint specified (save_path=None); nothing is being restored.')

    def assert_consumed(self):
        self._none()

    def assert_existing_objects_matched(self):
        self._none()

    def assert_nontrivial_match(self):
        self._none()

    def run_restore_ops(self, session=None):
        raise AssertionError('No checkpoint specified, so no restore ops are available '
                             '(save_path=None to Saver.restore).')

    def initialize_or_restore(self, session=None):
        _session(session).run(gather_initializers(self._root))


class NameBasedSaverStatus(_LoadStatus):
    """Of a checkpoint by names, as tf.train.Saver writes them."""

    def __init__(self, root, save_path, reader):
        super(NameBasedSaverStatus, self).__init__(root)
        self._save_path = save_path
        self._names = reader.get_variable_to_shape_map()

    def _values(self):
        """[(object, attribute, name)] below the root."""
        return [(obj, attribute, obj._shared_name)
                for obj in object_graph.ObjectGraph(self._root).objects
                if hasattr(obj, '_shared_name') for attribute in object_graph.values_of(obj)]

    def assert_consumed(self):
        values = self._values()
        for obj, _, name in values:
            if name not in self._names:
                raise AssertionError('Object not restored: %s' % (obj,))
        unused = set(self._names) - {name for _, _, name in values}
        if unused:
            raise AssertionError('Some variables in the checkpoint were not restored: %s'
                                 % sorted(unused))
        return self

    def assert_existing_objects_matched(self):
        for obj, _, name in self._values():
            if name not in self._names:
                raise AssertionError('Object not found in checkpoint: %s' % (obj,))
        return self

    assert_nontrivial_match = assert_existing_objects_matched

    def run_restore_ops(self, session=None):
        session = _session(session)
        with session.graph.as_default():
            restore = _restore_ops(self._save_path, [
                value for value in self._values() if value[2] in self._names])
        session.run(restore)

    def initialize_or_restore(self, session=None):
        session = _session(session)
        session.run([obj.initializer for obj, _, name in self._values()
                     if name not in self._names])
        self.run_restore_ops(session)


class CheckpointV1(tracking.AutoTrackable):
    """Saves and restores what it is given by keywords, or by attributes later."""

    def __init__(self, **kwargs):
        super(CheckpointV1, self).__init__()
        for name, value in sorted(kwargs.items()):
            if isinstance(value, (list, dict)) and not isinstance(value, base.Trackable) or (
                    not object_graph.is_trackable(value)):
                raise ValueError(
                    '`Checkpoint` was expecting a trackable object (an object derived from '
                    '`TrackableBase`), got %s. If you believe this object should be trackable '
                    '(i.e. it is part of the TensorFlow Python API and manages state), please '
                    'open an issue.' % (value,))
            setattr(self, name, value)
        self._save_counter = None
        self._save_assign_op = None
        self._saver = TrackableSaver(self)

    def _maybe_create_save_counter(self):
        """The counter; one that is made now is initialised in the default session."""
        if self._save_counter is None:
            with ops.device('/cpu:0'), ops.init_scope():
                self._save_counter = variables.VariableV1(
                    0, name='save_counter', dtype=dtypes.int64, trainable=False)
                self._track_trackable(self._save_counter, name='save_counter', overwrite=True)
        return self._save_counter

    @property
    def save_counter(self):
        return self._maybe_create_save_counter()

    def write(self, file_prefix, session=None):
        """Writes a checkpoint of this very name."""
        return self._saver.save(file_prefix=file_prefix, session=session)

    def save(self, file_prefix, session=None):
        """Writes a checkpoint whose name ends in its number, and notes it as the latest."""
        session = _session(session)
        with session.graph.as_default():
            if self._save_counter is None:
                session.run(self._maybe_create_save_counter().initializer)
            if self._save_assign_op is None:
                self._save_assign_op = self.save_counter.assign_add(1)
        number = session.run(self._save_assign_op)
        path = self.write('%s-%d' % (file_prefix, number), session=session)
        checkpoint_management.update_checkpoint_state_internal(
            save_dir=os.path.dirname(file_prefix), model_checkpoint_path=path,
            all_model_checkpoint_paths=[path], save_relative_paths=True)
        return path

    def restore(self, save_path):
        """Binds a checkpoint's values; the status's methods bring them into the variables."""
        status = self._saver.restore(save_path=save_path)
        self._maybe_create_save_counter()
        return status
