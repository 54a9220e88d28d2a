# SPDX-License-Identifier: Apache-2.0
"""The nodes that save and restore: BaseSaverBuilder, BulkSaverBuilder. Imported by saver."""
import uuid

from leat.core.protobuf import saver_pb2
from leat.python.framework import constant_op
from leat.python.framework import device as pydev
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_io_ops
from leat.python.ops import gen_string_ops
from leat.python.ops import variables
from leat.python.training import saveable_object
from leat.python.training import saveable_object_util
from leat.python.util import compat

V1 = saver_pb2.SaverDef.V1
V2 = saver_pb2.SaverDef.V2


def _after(op, tensor):
    """The tensor, when op is done."""
    with ops.name_scope(None, 'control_dependency', [op, tensor]) as name:
        with ops.colocate_with(tensor):
            with ops.control_dependencies([op]):
                return array_ops.identity(tensor, name=name)


def _save_v1(filename, names, slices, tensors):
    """The file of version 1; its values' slices only where there are any."""
    with ops.name_scope('save'):
        names = ops.convert_to_tensor(names, name='tensor_names', dtype='string')
        slices = ops.convert_to_tensor(slices, name='shapes_and_slices', dtype='string')
        scope = ops.get_default_graph().get_name_scope() + '/'
        return gen_io_ops.save_slices(filename, names, slices, tensors, name=scope)


class BaseSaverBuilder(object):
    """Makes the nodes of a Saver, restoring each value by a node of its own."""

    SaveSpec = saveable_object.SaveSpec
    SaveableObject = saveable_object.SaveableObject
    VariableSaveable = saveable_object_util.ReferenceVariableSaveable
    ResourceVariableSaveable = saveable_object_util.ResourceVariableSaveable

    def __init__(self, write_version=V2):
        self._write_version = write_version

    def save_op(self, filename_tensor, saveables):
        """The op that writes the saveables to a file."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names = [spec.name for spec in specs]
        tensors = [spec.tensor for spec in specs]
        slices = [spec.slice_spec for spec in specs]
        if self._write_version == V1:
            return _save_v1(filename_tensor, names, slices, tensors)
        if self._write_version == V2:
            return gen_io_ops.save_v2(filename_tensor, names, slices, tensors)
        raise RuntimeError('Unexpected write_version: %s' % self._write_version)

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        """All the saveables' tensors, as they are in the file."""
        del restore_sequentially
        all_tensors = []
        for saveable in saveables:
            device = (saveable_object_util.set_cpu0(saveable.device) if saveable.device
                      else None)
            with ops.device(device):
                all_tensors.extend(self.restore_op(filename_tensor, saveable, preferred_shard))
        return all_tensors

    def restore_op(self, filename_tensor, saveable, preferred_shard):
        """The tensors of one saveable."""
        del preferred_shard
        return [gen_io_ops.restore_v2(filename_tensor, [spec.name], [spec.slice_spec],
                                      [spec.dtype.base_dtype])[0] for spec in saveable.specs]

    def sharded_filename(self, filename_tensor, shard, num_shards):
        return gen_io_ops.sharded_filename(filename_tensor, shard, num_shards)

    def _AddSaveOps(self, filename_tensor, saveables):
        return _after(self.save_op(filename_tensor, saveables), filename_tensor)

    def _AddShardedSaveOpsForV2(self, checkpoint_prefix, per_device):
        """Each device's part to a file of its own in a folder that is then merged."""
        suffix = '_temp_%s/part' % uuid.uuid4().hex
        temporary = gen_string_ops.string_join([checkpoint_prefix, suffix])
        num_shards = constant_op.constant(len(per_device), name='num_shards')
        saves, prefixes, last = [], [], None
        for shard, (device, saveables) in enumerate(per_device):
            last = device
            with ops.device(saveable_object_util.set_cpu0(device)):
                prefix = self.sharded_filename(temporary, shard, num_shards)
                prefixes.append(prefix)
                saves.append(self._AddSaveOps(prefix, saveables))
        with ops.control_dependencies([x.op for x in saves]):
            with ops.device(saveable_object_util.set_cpu0(last)):
                merge = gen_io_ops.merge_v2_checkpoints(prefixes, checkpoint_prefix,
                                                        delete_old_dirs=True)
                with ops.control_dependencies([merge]):
                    return array_ops.identity(checkpoint_prefix)

    def _AddShardedSaveOps(self, filename_tensor, per_device):
        if self._write_version == V2:
            return self._AddShardedSaveOpsForV2(filename_tensor, per_device)
        num_shards = constant_op.constant(len(per_device), name='num_shards')
        saves = []
        for shard, (device, saveables) in enumerate(per_device):
            with ops.device(device):
                saves.append(self._AddSaveOps(
                    self.sharded_filename(filename_tensor, shard, num_shards), saveables))
        with ops.control_dependencies([x.op for x in saves]):
            return gen_io_ops.sharded_filespec(filename_tensor, num_shards)

    def _AddRestoreOps(self, filename_tensor, saveables, restore_sequentially, reshape,
                       preferred_shard=-1, name='restore_all'):
        all_tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard,
                                        restore_sequentially)
        assign_ops, at = [], 0
        for saveable in saveables:
            shapes = [self._shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
            tensors = all_tensors[at:at + len(saveable.specs)]
            at += len(saveable.specs)
            assign_ops.append(saveable.restore(tensors, shapes))
        return control_flow_ops.group(*assign_ops, name=name)

    @staticmethod
    def _shape_of(tensor):
        shape = tensor.get_shape()
        return shape.as_list() if shape.is_fully_defined() else array_ops.shape(tensor)

    def _AddShardedRestoreOps(self, filename_tensor, per_device, restore_sequentially, reshape):
        shards = []
        for shard, (device, saveables) in enumerate(per_device):
            with ops.device(device):
                shards.append(self._AddRestoreOps(
                    filename_tensor, saveables, restore_sequentially, reshape,
                    preferred_shard=shard, name='restore_shard'))
        return control_flow_ops.group(*shards, name='restore_all')

    def _GroupByDevices(self, saveables):
        """[(device, its saveables)], by device; the parts of a saveable must be on one."""
        per_device = {}
        for saveable in saveables:
            devices = {pydev.canonical_name(spec.device) for spec in saveable.specs}
            if len(devices) > 1:
                raise ValueError('All tensors of a saveable object must be on the same device: %s'
                                 % saveable.name)
            per_device.setdefault(devices.pop(), []).append(saveable)
        return sorted(per_device.items(), key=lambda item: item[0])

    def build(self, names_to_saveables, reshape=False, sharded=False, max_to_keep=5,
              keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False,
              filename='model'):
        """Adds the nodes; the SaverDef that names them."""
        return self._build_internal(
            names_to_saveables=names_to_saveables, reshape=reshape, sharded=sharded,
            max_to_keep=max_to_keep,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours, name=name,
            restore_sequentially=restore_sequentially, filename=filename)

    def _build_internal(self, names_to_saveables, reshape=False, sharded=False, max_to_keep=5,
                        keep_checkpoint_every_n_hours=10000.0, name=None,
                        restore_sequentially=False, filename='model', build_save=True,
                        build_restore=True):
        del build_save, build_restore
        saveables = saveable_object_util.validate_and_slice_inputs(names_to_saveables)
        with ops.name_scope(name, 'save', [saveable.op for saveable in saveables]):
            filename_tensor = array_ops.placeholder_with_default(
                compat.as_str(filename or 'model'), shape=(), name='filename')
            filename_tensor = array_ops.placeholder_with_default(filename_tensor, shape=(),
                                                                 name='Const')
            if sharded:
                per_device = self._GroupByDevices(saveables)
                save_tensor = self._AddShardedSaveOps(filename_tensor, per_device)
                restore_op = self._AddShardedRestoreOps(filename_tensor, per_device,
                                                        restore_sequentially, reshape)
            else:
                save_tensor = self._AddSaveOps(filename_tensor, saveables)
                restore_op = self._AddRestoreOps(filename_tensor, saveables,
                                                 restore_sequentially, reshape)
        self._finish_partitioned()
        return saver_pb2.SaverDef(
            filename_tensor_name=filename_tensor.name, save_tensor_name=save_tensor.name,
            restore_op_name=restore_op.name, max_to_keep=max_to_keep or 0, sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version)

    @staticmethod
    def _finish_partitioned():
        """Whole values of partitioned variables are made, so that collections can name them."""
        graph = ops.get_default_graph()
        for key in graph.get_all_collection_keys():
            for element in graph.get_collection(key):
                if isinstance(element, variables.PartitionedVariable):
                    try:
                        graph.get_operation_by_name(element.name)
                    except KeyError:
                        element.as_tensor()


class BulkSaverBuilder(BaseSaverBuilder):
    """Restores all values by one node (of each device's, when sharded)."""

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        del preferred_shard, restore_sequentially
        specs = [spec for saveable in saveables for spec in saveable.specs]
        with ops.device('cpu:0'):
            return gen_io_ops.restore_v2(
                filename_tensor, [s.name for s in specs], [s.slice_spec for s in specs],
                [s.dtype.base_dtype for s in specs])
