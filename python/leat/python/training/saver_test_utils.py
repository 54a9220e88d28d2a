# SPDX-License-Identifier: Apache-2.0
"""For tests of savers: a table that is saved as an object with two tensors."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import gen_lookup_ops
from leat.python.training import saver


class CheckpointedOp(object):
    """A table from strings to floats that savers find in the graph's collection."""

    def __init__(self, name, table_ref=None):
        if table_ref is None:
            table_ref = gen_lookup_ops.mutable_hash_table_v2(
                key_dtype=dtypes.string, value_dtype=dtypes.float32, name=name)
        self.table_ref = table_ref
        self._name = name
        self._saveable = CheckpointedOp.CustomSaveable(self, name)
        ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def name(self):
        return self._name

    @property
    def saveable(self):
        return self._saveable

    def insert(self, keys, values):
        return gen_lookup_ops.lookup_table_insert_v2(self.table_ref, keys, values)

    def lookup(self, keys, default):
        return gen_lookup_ops.lookup_table_find_v2(self.table_ref, keys, default)

    def keys(self):
        return self._export().keys

    def values(self):
        return self._export().values

    def _export(self):
        return gen_lookup_ops.lookup_table_export_v2(self.table_ref, dtypes.string,
                                                     dtypes.float32)

    class CustomSaveable(saver.BaseSaverBuilder.SaveableObject):
        """Its keys and its values."""

        def __init__(self, table, name):
            keys, values = table._export()
            spec = saver.BaseSaverBuilder.SaveSpec
            super(CheckpointedOp.CustomSaveable, self).__init__(
                table, [spec(keys, '', name + '-keys'), spec(values, '', name + '-values')], name)

        def restore(self, restore_tensors, shapes):
            return gen_lookup_ops.lookup_table_import_v2(self.op.table_ref, restore_tensors[0],
                                                         restore_tensors[1])
