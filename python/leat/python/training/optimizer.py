# SPDX-License-Identifier: Apache-2.0
"""Optimizer: what the classes of the optimizers share, and programs' own derive from.

A class says what it keeps (_create_slots), what it needs once an update (_prepare) and how one
variable is updated (_apply_dense and its kin); gradients, names and collections are done here.
"""
import abc

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import gradients
from leat.python.ops import math_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables
from leat.python.training import slot_creator
from leat.python.util import nest


def is_resource(v):
    """Whether v is a variable behind a resource handle."""
    return isinstance(v, variables.Variable) and getattr(v, 'handle', None) is not None


def get_filtered_grad_fn(grad_fn):
    """grad_fn without the pairs that have no gradient."""
    def filtered_grad_fn(*args, **kwargs):
        return [(g, v) for g, v in grad_fn(*args, **kwargs) if g is not None]
    return filtered_grad_fn


def _deduplicate_indexed_slices(values, indices):
    """(values, indices) with the rows of equal indices added up."""
    unique_indices, positions = array_ops.unique(indices)
    summed = math_ops.unsorted_segment_sum(values, positions, array_ops.shape(unique_indices)[0])
    return summed, unique_indices


def _var_key(var):
    """What a variable's slots are kept under."""
    if hasattr(var, '_distributed_container'):
        var = var._distributed_container()
    return (var.op.graph, var.op.name)


class _OptimizableVariable(abc.ABC):
    """How gradients go to, and updates are made of, one kind of variable."""

    @abc.abstractmethod
    def target(self):
        """What gradients are asked for."""

    @abc.abstractmethod
    def update_op(self, optimizer, g):
        """The op that updates the variable by g."""


class _RefVariableProcessor(_OptimizableVariable):
    """A variable that is a reference."""

    def __init__(self, v):
        self._v = v

    def __str__(self):
        return '<_RefVariableProcessor(%s)>' % self._v

    def target(self):
        return self._v._ref()

    def update_op(self, optimizer, g):
        if isinstance(g, ops.Tensor):
            update_op = optimizer._apply_dense(g, self._v)
            if self._v.constraint is None:
                return update_op
            with ops.control_dependencies([update_op]):
                return self._v.assign(self._v.constraint(self._v))
        assert isinstance(g, ops.IndexedSlices), (
            'Gradient ', g, ' is neither a tensor nor IndexedSlices.')
        if self._v.constraint is not None:
            raise RuntimeError('Cannot use a constraint function on a sparse variable.')
        return optimizer._apply_sparse_duplicate_indices(g, self._v)


class _DenseResourceVariableProcessor(_OptimizableVariable):
    """A variable behind a resource handle."""

    def __init__(self, v):
        self._v = v

    def target(self):
        return self._v

    def update_op(self, optimizer, g):
        if isinstance(g, ops.IndexedSlices):
            if self._v.constraint is not None:
                raise RuntimeError('Cannot use a constraint function on a sparse variable.')
            return optimizer._resource_apply_sparse_duplicate_indices(g.values, self._v, g.indices)
        update_op = optimizer._resource_apply_dense(g, self._v)
        if self._v.constraint is None:
            return update_op
        with ops.control_dependencies([update_op]):
            return self._v.assign(self._v.constraint(self._v))


class _TensorProcessor(_OptimizableVariable):
    """A tensor: it has gradients, but cannot be updated."""

    def __init__(self, v):
        self._v = v

    def target(self):
        return self._v

    def update_op(self, optimizer, g):
        raise NotImplementedError('Trying to update a Tensor ', self._v)


def _get_processor(v):
    """The processor of a variable."""
    if isinstance(v, ops.Tensor):
        return _TensorProcessor(v)
    if is_resource(v) or (hasattr(v, 'op') and v.op.type == 'VarHandleOp'):
        return _DenseResourceVariableProcessor(v)
    if isinstance(v, variables.Variable):
        return _RefVariableProcessor(v)
    raise NotImplementedError('Trying to optimize unsupported type ', v)


class Optimizer(object):
    """Base class of the optimizers."""

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError('Must specify the optimizer name')
        self._use_locking = use_locking
        self._name = name
        self._slots = {}
        self._non_slot_dict = {}
        self._deferred_slot_restorations = {}

    def get_name(self):
        return self._name

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP,
                 aggregation_method=None, colocate_gradients_with_ops=False, name=None,
                 grad_loss=None):
        """compute_gradients() and apply_gradients() of what it gives."""
        grads_and_vars = self.compute_gradients(
            loss, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        if not any(g is not None for g, _ in grads_and_vars):
            raise ValueError(
                'No gradients provided for any variable, check your graph for ops that do not '
                'support gradients, between variables %s and loss %s.'
                % ([str(v) for _, v in grads_and_vars], loss))
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=GATE_OP,
                          aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        """[(gradient or None, variable)] of loss by each variable of var_list (the trainable)."""
        if callable(loss):
            loss = loss()
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError('gate_gradients must be one of: Optimizer.GATE_NONE, '
                             'Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not %s' % gate_gradients)
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            var_list = (variables.trainable_variables() +
                        ops.get_collection(ops.GraphKeys.TRAINABLE_RESOURCE_VARIABLES))
        else:
            var_list = nest.flatten(var_list)
        var_list = var_list + ops.get_collection(ops.GraphKeys._STREAMING_MODEL_PORTS)
        processors = [_get_processor(v) for v in var_list]
        if not var_list:
            raise ValueError('No variables to optimize.')
        grads = gradients.gradients(
            loss, [p.target() for p in processors], grad_ys=grad_loss,
            aggregation_method=aggregation_method,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = control_flow_ops.tuple(grads)
        grads_and_vars = list(zip(grads, var_list))
        self._assert_valid_dtypes([v for g, v in grads_and_vars
                                   if g is not None and v.dtype != dtypes.resource])
        return grads_and_vars

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The op that updates the variables by their gradients, and then counts the step."""
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError('No variables provided.')
        converted = [(self._converted(g), v, _get_processor(v)) for g, v in grads_and_vars]
        var_list = [v for g, v, _ in converted if g is not None]
        if not var_list:
            raise ValueError('No gradients provided for any variable: %s.'
                             % ([str(v) for _, v, _ in converted],))
        with ops.init_scope():
            self._create_slots(var_list)
        update_ops = []
        with ops.name_scope(name, self._name) as scope:
            self._prepare()
            for grad, var, processor in converted:
                if grad is None:
                    continue
                with ops.name_scope('update_' + var.op.name), ops.colocate_with(var):
                    update_ops.append(processor.update_op(self, grad))
            apply_updates = self._finish_step(update_ops, global_step, scope)
            if isinstance(apply_updates, ops.Tensor):
                apply_updates = apply_updates.op
            train_op = ops.get_collection_ref(ops.GraphKeys.TRAIN_OP)
            if apply_updates not in train_op:
                train_op.append(apply_updates)
            return apply_updates

    @staticmethod
    def _converted(g):
        if g is None:
            return None
        try:
            g = ops.convert_to_tensor_or_indexed_slices(g)
        except TypeError:
            raise TypeError('Gradient must be convertible to a Tensor or IndexedSlices, or None: '
                            '%s' % g) from None
        if not isinstance(g, (ops.Tensor, ops.IndexedSlices)):
            raise TypeError('Gradient must be a Tensor, IndexedSlices, or None: %s' % g)
        return g

    def _finish_step(self, update_ops, global_step, scope):
        """What is done when the updates and the count of the step are."""
        if global_step is None:
            return self._finish(update_ops, scope)
        with ops.control_dependencies([self._finish(update_ops, 'update')]):
            with ops.colocate_with(global_step):
                if is_resource(global_step):
                    from leat.python.ops import resource_variable_ops
                    return resource_variable_ops.assign_add_variable_op(
                        global_step.handle, ops.convert_to_tensor(1, dtype=global_step.dtype),
                        name=scope)
                return state_ops.assign_add(global_step, 1, name=scope)

    # ---- slots ----

    def get_slot(self, var, name):
        """The variable kept under that name for var; None."""
        named_slots = self._slots.get(name)
        return named_slots.get(_var_key(var)) if named_slots else None

    def get_slot_names(self):
        return sorted(self._slots.keys())

    def variables(self):
        """All that the optimizer keeps in the default graph, by name."""
        graph = ops.get_default_graph()
        kept = list(self._non_slot_variables())
        for named_slots in self._slots.values():
            kept.extend(named_slots.values())
        return sorted((v for v in kept if v.op.graph is graph), key=lambda v: v.name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """A variable of the optimizer itself, once a graph."""
        key = (name, colocate_with.graph)
        v = self._non_slot_dict.get(key)
        if v is None:
            with ops.colocate_with(colocate_with):
                v = variable_scope.variable(initial_value, name=name, trainable=False,
                                            use_resource=is_resource(colocate_with))
            self._non_slot_dict[key] = v
        return v

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self):
        return self._non_slot_dict.values()

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        named_slots = self._slot_dict(slot_name)
        if _var_key(var) not in named_slots:
            named_slots[_var_key(var)] = slot_creator.create_slot(var, val, op_name)
        return named_slots[_var_key(var)]

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name,
                                           op_name):
        named_slots = self._slot_dict(slot_name)
        if _var_key(var) not in named_slots:
            named_slots[_var_key(var)] = slot_creator.create_slot_with_initializer(
                var, initializer, shape, dtype, op_name)
        return named_slots[_var_key(var)]

    def _zeros_slot(self, var, slot_name, op_name):
        named_slots = self._slot_dict(slot_name)
        if _var_key(var) not in named_slots:
            named_slots[_var_key(var)] = slot_creator.create_zeros_slot(var, op_name)
        return named_slots[_var_key(var)]

    # ---- for derived classes ----

    def _assert_valid_dtypes(self, tensors):
        """ValueError for a tensor of a type that is not one of _valid_dtypes()."""
        valid_dtypes = self._valid_dtypes()
        for t in tensors:
            dtype = t.dtype.base_dtype
            if dtype not in valid_dtypes:
                raise ValueError('Invalid type %r for %s, expected: %s.'
                                 % (dtype, t.name, list(valid_dtypes)))

    def _valid_dtypes(self):
        return set([dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64])

    def _create_slots(self, var_list):
        """Makes what is kept for the variables."""

    def _prepare(self):
        """Makes the tensors that all updates of one apply_gradients() share."""

    def _apply_dense(self, grad, var):
        raise NotImplementedError()

    def _resource_apply_dense(self, grad, handle):
        raise NotImplementedError()

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        summed_grad, unique_indices = _deduplicate_indexed_slices(values=grad, indices=indices)
        return self._resource_apply_sparse(summed_grad, handle, unique_indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad, var):
        summed_values, unique_indices = _deduplicate_indexed_slices(values=grad.values,
                                                                    indices=grad.indices)
        return self._apply_sparse(
            ops.IndexedSlices(indices=unique_indices, values=summed_values,
                              dense_shape=grad.dense_shape), var)

    def _apply_sparse(self, grad, var):
        raise NotImplementedError()

    def _finish(self, update_ops, name_scope):
        return control_flow_ops.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        return param() if callable(param) else param
