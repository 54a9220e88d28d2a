# SPDX-License-Identifier: Apache-2.0
"""Groups of ops, and (to come) branches and loops."""
from leat.python.framework import ops
from leat.python.ops import gen_control_flow_ops
from leat.python.util import nest


def no_op(name=None):
    return gen_control_flow_ops.no_op(name=name)


def _group_device(deps, device, name=None):
    with ops.control_dependencies(deps):
        if device is None:
            return no_op(name=name)
        with ops.device(device):
            return no_op(name=name)


def group(*inputs, **kwargs):
    """An op that is done when all of inputs are."""
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unknown keyword arguments: ' + ', '.join(kwargs.keys()))
    with ops.name_scope(name, 'group_deps', inputs) as name:
        if not inputs:
            return no_op(name=name)
        by_device = {}
        for inp in nest.flatten(inputs, expand_composites=True):
            if not hasattr(inp, 'device'):
                raise TypeError('Expected tf.group() expected Tensor objects not \'%s\' with type '
                                '\'%s\'' % (inp, type(inp)))
            by_device.setdefault(inp.device, []).append(inp)
        if len(by_device) == 1:
            (device, deps), = by_device.items()
            return _group_device(deps, device, name=name)
        all_deps = []
        with ops.name_scope(name):
            for device in sorted(by_device, key=lambda d: d or ''):
                all_deps.append(_group_device(by_device[device], device))
        with ops.control_dependencies(all_deps):
            return no_op(name=name)
