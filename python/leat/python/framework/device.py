# SPDX-License-Identifier: Apache-2.0
"""Names of devices as objects: /job:ps/replica:0/task:1/device:CPU:0 with any part left out."""


class DeviceSpec(object):
    """A device, perhaps partly given."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self._job = job
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_index = None if device_index is None else int(device_index)
        self._device_type = device_type.upper() if device_type and \
            device_type.lower() in ('cpu', 'gpu') else device_type

    job = property(lambda self: self._job, lambda self, v: setattr(self, '_job', v))
    replica = property(lambda self: self._replica,
                       lambda self, v: setattr(self, '_replica', None if v is None else int(v)))
    task = property(lambda self: self._task,
                    lambda self, v: setattr(self, '_task', None if v is None else int(v)))
    device_type = property(lambda self: self._device_type,
                           lambda self, v: setattr(self, '_device_type', v))
    device_index = property(
        lambda self: self._device_index,
        lambda self, v: setattr(self, '_device_index', None if v is None else int(v)))

    def _clear(self):
        self.__init__()

    def parse_from_string(self, spec):
        """Takes over what a text says; ValueError where it is none."""
        self._clear()
        for part in (p for p in spec.split('/') if p):
            words = part.split(':')
            if len(words) == 2 and words[0] == 'job':
                self._job = words[1]
            elif len(words) == 2 and words[0] == 'replica':
                self.replica = words[1]
            elif len(words) == 2 and words[0] == 'task':
                self.task = words[1]
            elif len(words) <= 2 and words[0].upper() in ('CPU', 'GPU'):
                if self._device_type is not None:
                    raise ValueError('Cannot specify multiple device types: %s' % spec)
                self._device_type = words[0].upper()
                if len(words) == 2 and words[1] != '*':
                    self.device_index = words[1]
            elif len(words) == 3 and words[0] == 'device':
                if self._device_type is not None:
                    raise ValueError('Cannot specify multiple device types: %s' % spec)
                self._device_type = words[1]
                if words[2] != '*':
                    self.device_index = words[2]
            else:
                raise ValueError('Unknown attribute: \'%s\' in \'%s\'' % (words[0], spec))
        return self

    @classmethod
    def from_string(cls, spec):
        return cls().parse_from_string(spec)

    def merge_from(self, dev):
        """Takes over what dev says."""
        for field in ('_job', '_replica', '_task', '_device_type', '_device_index'):
            value = getattr(dev, field)
            if value is not None:
                setattr(self, field, value)

    def make_merged_spec(self, dev):
        merged = DeviceSpec()
        merged.merge_from(self)
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs):
        fields = dict(job=self.job, replica=self.replica, task=self.task,
                      device_type=self.device_type, device_index=self.device_index)
        fields.update(kwargs)
        return DeviceSpec(**fields)

    def to_string(self):
        text = ''
        if self._job is not None:
            text += '/job:' + self._job
        if self._replica is not None:
            text += '/replica:%d' % self._replica
        if self._task is not None:
            text += '/task:%d' % self._task
        if self._device_type is not None:
            index = '*' if self._device_index is None else self._device_index
            text += '/device:%s:%s' % (self._device_type, index)
        return text

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return 'DeviceSpec(%r)' % self.to_string()


DeviceSpecV1 = DeviceSpec
DeviceSpecV2 = DeviceSpec


def check_valid(spec):
    DeviceSpec().parse_from_string(spec)


def is_device_spec(obj):
    return isinstance(obj, DeviceSpec)


def canonical_name(device):
    """The name in its long form; '' of None."""
    if device is None:
        return ''
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return DeviceSpec.from_string(device).to_string()


def merge_device(spec):
    """A function for tf.device: spec completed by what stands around."""
    if not isinstance(spec, DeviceSpec):
        spec = DeviceSpec.from_string(spec or '')

    def merged(node_def):
        current = DeviceSpec.from_string(node_def.device or '')
        return spec.make_merged_spec(current)
    return merged
