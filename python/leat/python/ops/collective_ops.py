# SPDX-License-Identifier: Apache-2.0
"""Collective operations: one tensor of each device of a group is summed, gathered or sent to all.

Every member makes the same call with the same keys; the ops meet when all run.
"""
from leat.python.ops import gen_collective_ops


def _check_group(group_size, function):
    if group_size <= 1:
        raise ValueError('Parameter group_size to %s must be at least 2.' % function)


def _check_device(t):
    if not t.device:
        raise ValueError('Device assignment required for collective ops')


def all_reduce(t, group_size, group_key, instance_key, merge_op, final_op, subdiv_offsets=(0,),
               communication_hint='auto'):
    """The tensors of the group merged (Add, Mul...), then finished (Id, Div)."""
    _check_device(t)
    _check_group(group_size, 'all_reduce')
    return gen_collective_ops.collective_reduce(
        t, group_size=group_size, group_key=group_key, instance_key=instance_key,
        merge_op=merge_op, final_op=final_op, subdiv_offsets=subdiv_offsets,
        communication_hint=communication_hint.lower())


def all_gather(t, group_size, group_key, instance_key, communication_hint='auto'):
    """The tensors of the group, one after another along dimension 0."""
    _check_device(t)
    _check_group(group_size, 'all_gather')
    return gen_collective_ops.collective_gather(
        t, shape=[0], group_size=group_size, group_key=group_key, instance_key=instance_key,
        communication_hint=communication_hint.lower())


def broadcast_send(t, shape, dtype, group_size, group_key, instance_key,
                   communication_hint='auto'):
    """Sends a tensor to all others of the group; the tensor."""
    _check_device(t)
    _check_group(group_size, 'broadcast_send')
    if t.shape != shape:
        raise ValueError('Shape of broadcast_send tensor not equal to delcared shape')
    if t.dtype != dtype:
        raise ValueError('Type of broadcast_send tensor not equal to declared type')
    return gen_collective_ops.collective_bcast_send(
        t, shape=shape, group_size=group_size, group_key=group_key, instance_key=instance_key,
        communication_hint=communication_hint.lower())


def broadcast_recv(shape, dtype, group_size, group_key, instance_key, communication_hint='auto'):
    """The tensor that another of the group sends."""
    _check_group(group_size, 'broadcast_send')
    return gen_collective_ops.collective_bcast_recv(
        shape=shape, T=dtype, group_size=group_size, group_key=group_key,
        instance_key=instance_key, communication_hint=communication_hint.lower())
