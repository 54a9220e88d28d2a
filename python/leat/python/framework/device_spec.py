# SPDX-License-Identifier: Apache-2.0
"""tf.DeviceSpec: the parts of a device's name; the second kind cannot be changed."""
from leat.python.framework import device
from leat.python.util.tf_export import tf_export

DeviceSpecV1 = tf_export(v1=['DeviceSpec'])(device.DeviceSpec)


@tf_export('DeviceSpec', v1=[])
class DeviceSpecV2(device.DeviceSpec):
    """One that cannot be changed."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self._fixed = False
        super(DeviceSpecV2, self).__init__(job, replica, task, device_type, device_index)
        self._fixed = True

    def __setattr__(self, name, value):
        if getattr(self, '_fixed', False):
            raise AttributeError('can\'t set attribute')
        object.__setattr__(self, name, value)

    @classmethod
    def from_string(cls, spec):
        plain = device.DeviceSpec.from_string(spec)
        return cls(plain.job, plain.replica, plain.task, plain.device_type, plain.device_index)

    def parse_from_string(self, spec):
        return self.from_string(spec)

    def make_merged_spec(self, dev):
        """This one, with what the other says in its place."""
        merged = device.DeviceSpec.from_string(self.to_string())
        merged.merge_from(dev)
        return self.from_string(merged.to_string())

    def replace(self, **kwargs):
        """This one with some parts changed."""
        parts = dict(job=self.job, replica=self.replica, task=self.task,
                     device_type=self.device_type, device_index=self.device_index)
        parts.update(kwargs)
        return self.__class__(**parts)
