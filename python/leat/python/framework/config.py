# SPDX-License-Identifier: Apache-2.0
"""tf.config: what sessions of this process run with unless their ConfigProto says otherwise.

What is set here is read by Session when it is made without a config, and may be asked for again.
"""
import collections

from leat.python.eager import context

PhysicalDevice = collections.namedtuple('PhysicalDevice', ['name', 'device_type'])
LogicalDevice = collections.namedtuple('LogicalDevice', ['name', 'device_type'])


def _state():
    return context.context()._settings


def _devices():
    from leat.python.client import device_lib
    return device_lib.list_local_devices()


def _of_type(devices, device_type):
    return [d for d in devices if device_type is None or d.device_type == device_type]


# ---- threads ----

def _threads(kind):
    def get():
        return _state().get(kind, 0)

    def set_(num_threads):
        _state()[kind] = num_threads
    return get, set_


get_intra_op_parallelism_threads, set_intra_op_parallelism_threads = _threads('intra_op')
get_inter_op_parallelism_threads, set_inter_op_parallelism_threads = _threads('inter_op')


# ---- the optimizer ----

def get_optimizer_jit():
    """Whether graphs are compiled: noted, and nothing else; Leat has no such compiler."""
    return _state().get('jit', False)


def set_optimizer_jit(enabled):
    _state()['jit'] = enabled


_REWRITES = ('layout_optimizer', 'constant_folding', 'shape_optimization', 'remapping',
             'arithmetic_optimization', 'dependency_optimization', 'loop_optimization',
             'function_optimization', 'debug_stripper', 'scoped_allocator_optimization',
             'pin_to_host_optimization', 'implementation_selector', 'auto_mixed_precision')
_PLAIN = ('disable_model_pruning', 'disable_meta_optimizer', 'min_graph_nodes')


def get_optimizer_experimental_options():
    """What was set of the passes over graphs."""
    return {'disable_model_pruning': False, 'disable_meta_optimizer': False,
            **_state().get('optimizer', {})}


def set_optimizer_experimental_options(options):
    """Says which passes over graphs are wanted; others keep what was said of them."""
    known = {name: value for name, value in options.items() if name in _REWRITES + _PLAIN}
    _state().setdefault('optimizer', {}).update(known)


# ---- placement ----

def get_soft_device_placement():
    return context.context().soft_device_placement


def set_soft_device_placement(enabled):
    """Whether an op may run elsewhere than on the device that was asked for."""
    context.context().soft_device_placement = enabled
    _state()['soft_placement'] = enabled


def get_device_policy():
    """How tensors move between devices: by themselves."""
    return _state().get('policy', 'silent')


def set_device_policy(device_policy):
    if device_policy not in (None, 'silent', 'silent_for_int32', 'warn', 'explicit'):
        raise ValueError('Not a valid device policy: %r' % device_policy)
    _state()['policy'] = device_policy or 'silent'


def get_synchronous_execution():
    return True


def set_synchronous_execution(enable):
    if enable is False:
        raise context.EagerUnsupportedError('asynchronous execution')


# ---- devices ----

def list_physical_devices(device_type=None):
    """What this machine has, that Leat can use."""
    found = [PhysicalDevice('/physical_device:%s' % ':'.join(d.name.split(':')[-2:]),
                            d.device_type) for d in _devices()]
    return _of_type(found, device_type)


def list_logical_devices(device_type=None):
    """The devices that sessions of this process have."""
    visible = {d.name.rpartition('/physical_device:')[2] for d in get_visible_devices()}
    found = [LogicalDevice('/job:localhost/replica:0/task:0' + d.name
                           if d.name.startswith('/device') else d.name, d.device_type)
             for d in _devices() if ':'.join(d.name.split(':')[-2:]) in visible]
    return _of_type(found, device_type)


def get_visible_devices(device_type=None):
    """Those of list_physical_devices that were not hidden."""
    hidden = _state().get('hidden', set())
    return [d for d in list_physical_devices(device_type) if d not in hidden]


def set_visible_devices(devices, device_type=None):
    """Hides all others (of a type)."""
    if not isinstance(devices, (list, tuple)):
        devices = [devices]
    known = list_physical_devices()
    for d in devices:
        if d not in known:
            raise ValueError('Unrecognized device: %s' % repr(d))
        if device_type is not None and d.device_type != device_type:
            raise ValueError('Unrecognized device: %s' % repr(d))
    hidden = {d for d in _state().get('hidden', set()) if device_type not in (None, d.device_type)}
    _state()['hidden'] = hidden | {d for d in _of_type(known, device_type) if d not in devices}


def _check_device(device):
    if device not in list_physical_devices():
        raise ValueError('Unrecognized device: %s' % repr(device))


def get_memory_growth(device):
    """Whether memory is taken as it is needed."""
    _check_device(device)
    return _state().get('growth', {})[device]


def set_memory_growth(device, enable):
    _check_device(device)
    if device.device_type != 'GPU':
        raise ValueError('Cannot set memory growth on non-GPU devices')
    _state().setdefault('growth', {})[device] = enable


def get_virtual_device_configuration(device):
    """The parts of a device, or None."""
    _check_device(device)
    return _state().get('virtual', {}).get(device)


def set_virtual_device_configuration(device, virtual_devices):
    """Parts a device: CPUs may be had several times."""
    _check_device(device)
    if device.device_type == 'CPU':
        for part in virtual_devices:
            if part.memory_limit is not None:
                raise ValueError('Setting memory limit on CPU virtual devices is currently not '
                                 'supported')
    _state().setdefault('virtual', {})[device] = list(virtual_devices)


def session_config():
    """A ConfigProto of what was set; None when nothing was."""
    state = _state()
    used = {'intra_op', 'inter_op', 'soft_placement', 'growth', 'virtual', 'optimizer'}
    if not used & set(state):
        return None
    from leat.core.protobuf import config_pb2, rewriter_config_pb2
    config = config_pb2.ConfigProto()
    config.intra_op_parallelism_threads = state.get('intra_op', 0)
    config.inter_op_parallelism_threads = state.get('inter_op', 0)
    config.allow_soft_placement = state.get('soft_placement', False)
    config.gpu_options.allow_growth = any(state.get('growth', {}).values())
    for device, parts in state.get('virtual', {}).items():
        if device.device_type == 'CPU':
            config.device_count['CPU'] = len(parts)
    rewrite = config.graph_options.rewrite_options
    toggle = rewriter_config_pb2.RewriterConfig
    for name, value in state.get('optimizer', {}).items():
        if name in _PLAIN:
            setattr(rewrite, name, value)
        else:
            setattr(rewrite, name, toggle.ON if value else toggle.OFF)
    return config
