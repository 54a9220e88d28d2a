# SPDX-License-Identifier: Apache-2.0
"""tf.CriticalSection: functions of which the session runs one at a time, under a mutex."""
import collections

from leat.python.eager import context
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import tensor_array_ops
from leat.python.util import nest

CRITICAL_SECTIONS = 'critical_sections'
CRITICAL_SECTION_EXECUTIONS = 'critical_section_executions'


class _ExecutionSignature(collections.namedtuple(
        '_ExecutionSignature', ('op', 'handle', 'resources', 'exclusive_resource_access'))):
    """What an execute() locks and uses."""


def _identity(x):
    """A copy of a tensor, an operation or a TensorArray that waits for what the scope waits for."""
    if isinstance(x, tensor_array_ops.TensorArray):
        return x.identity()
    if isinstance(x, ops.Operation):
        return control_flow_ops.group(x)
    if context.executing_eagerly() and x is None:
        return None
    return array_ops.identity(x)


class CriticalSection(object):
    """A lock; what execute() is given runs while it is held."""

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        if critical_section_def and name is not None:
            raise ValueError('critical_section_def and shared_name are mutually exclusive.')
        if critical_section_def:
            del import_scope
            raise NotImplementedError('Not yet implemented')
        self._init_from_args(name, shared_name)

    def _init_from_args(self, name, shared_name):
        with ops.name_scope(name, 'CriticalSection', []) as scope:
            with ops.init_scope():
                self._handle = gen_resource_variable_ops.mutex_v2(
                    shared_name=scope if shared_name is None else shared_name,
                    container=ops.get_default_graph()._container or '', name=scope)
        ops.add_to_collections(CRITICAL_SECTIONS, self)

    @property
    def name(self):
        return self._handle.op.name

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """What fn() gives, made while the lock is held. With exclusive_resource_access no other
        CriticalSection may use what fn uses."""
        graph = ops.get_default_graph()
        with ops.name_scope(name, 'critical_section_execute', []):
            lock = gen_resource_variable_ops.mutex_lock(self._handle)
            with ops.control_dependencies([lock.op]), graph._lock:
                before = len(graph.get_operations())
                results = fn()
                created = graph.get_operations()[before:]
            resources = self._resources(created)
            self._check_multiple_access_to_resources(resources, exclusive_resource_access)
            self._add_control_dependencies_to_lock(created, lock.op)
            results = self._released(results, lock)
        ops.add_to_collections(CRITICAL_SECTION_EXECUTIONS, _ExecutionSignature(
            op=lock.op, handle=self._handle, resources=resources,
            exclusive_resource_access=exclusive_resource_access))
        return results

    def _resources(self, created):
        """The resources from without that operations use, each once."""
        within = set(created)
        found = []
        for op in created:
            for tensor in op.inputs:
                if tensor.dtype != dtypes.resource or tensor.op in within:
                    continue
                if self._is_self_handle(tensor):
                    raise ValueError(
                        'The function fn attempts to directly access the CriticalSection in which '
                        'it would be running.  This is illegal and would cause deadlocks.')
                if not any(tensor is other for other in found):
                    found.append(tensor)
        return found

    def _released(self, results, lock):
        """The results of fn, once the lock is free again."""
        flat = nest.flatten(results)
        with ops.control_dependencies([_identity(x) for x in flat]):
            with ops.colocate_with(self._handle):
                released = gen_resource_variable_ops.consume_mutex_lock(lock)
            flat = control_flow_ops.tuple(flat)
        with ops.control_dependencies([released]):
            return nest.pack_sequence_as(results, [_identity(x) for x in flat])

    def _add_control_dependencies_to_lock(self, created_ops, lock_op):
        """The lock waits for all that the operations take from without, so that nothing is waited
        for while it is held."""
        waited = {}
        for op in created_ops:
            waited.update(dict.fromkeys([tensor.op for tensor in op.inputs]))
            waited.update(dict.fromkeys(op.control_inputs))
        for op in [lock_op, *created_ops, *lock_op.control_inputs]:
            waited.pop(op, None)
        if waited:
            lock_op._add_control_input(control_flow_ops.group(*waited))

    def _is_self_handle(self, x):
        """Whether it is this lock, by another handle too."""
        return x is self._handle or (
            x.op.type == 'MutexV2' and x.op.get_attr('shared_name')
            and x.op.get_attr('shared_name') == self._handle.op.get_attr('shared_name')
            and x.op.device == self._handle.op.device
            and x.op.get_attr('container') == self._handle.op.get_attr('container'))

    def _check_multiple_access_to_resources(self, captured_resources, exclusive_resource_access):
        """An error where another lock has one of the resources too, and one of the two is
        exclusive."""
        for signature in ops.get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_self_handle(signature.handle):
                continue
            if not (signature.exclusive_resource_access or exclusive_resource_access):
                continue
            shared = [tensor for tensor in signature.resources
                      if any(tensor is own for own in captured_resources)]
            if shared:
                raise ValueError(
                    'This execution would access resources: %s.  Either this lock '
                    '(CriticalSection: %s) or lock \'%s\' (CriticalSection: %s) requested '
                    'exclusive resource access of this resource.  Did you mean to call execute '
                    'with keyword argument exclusive_resource_access=False?'
                    % (shared, self._handle, signature, signature.handle))
