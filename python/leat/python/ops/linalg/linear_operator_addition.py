# SPDX-License-Identifier: Apache-2.0
"""add_operators(): sums of LinearOperators, in as cheap a form as the kinds allow.

An adder takes two operators. Tiers of adders are tried in order, the cheapest first, until no two
operators that are left can be added.
"""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops.linalg import linear_operator
from leat.python.ops.linalg import linear_operator_diag
from leat.python.ops.linalg import linear_operator_full_matrix
from leat.python.ops.linalg import linear_operator_identity
from leat.python.ops.linalg import linear_operator_lower_triangular

# Kinds of operators, by what they cost.
_IDENTITY, _SCALED_IDENTITY, _DIAG, _TRIL, _MATRIX = (
    'identity', 'scaled_identity', 'diag', 'tril', 'matrix')
_EFFICIENT_ADD_TO_TENSOR = (_IDENTITY, _SCALED_IDENTITY, _DIAG)
_KINDS = {
    linear_operator_diag.LinearOperatorDiag: _DIAG,
    linear_operator_lower_triangular.LinearOperatorLowerTriangular: _TRIL,
    linear_operator_full_matrix.LinearOperatorFullMatrix: _MATRIX,
    linear_operator_identity.LinearOperatorIdentity: _IDENTITY,
    linear_operator_identity.LinearOperatorScaledIdentity: _SCALED_IDENTITY}


def _type(operator):
    for cls, kind in _KINDS.items():
        if isinstance(operator, cls):
            return kind
    raise TypeError('Operator type unknown: %s' % operator)


def add_operators(operators, operator_name=None, addition_tiers=None, name=None):
    """A list of operators with the same sum, as few as the tiers of adders can make them."""
    check_ops.assert_proper_iterable(operators)
    operators = list(reversed(operators))
    if not operators:
        raise ValueError('Argument \'operators\' must contain at least one operator.  Found: %s'
                         % operators)
    if not all(isinstance(o, linear_operator.LinearOperator) for o in operators):
        raise TypeError('Argument \'operators\' must contain only LinearOperator instances.  '
                        'Found: %s' % operators)
    _static_check_for_same_dimensions(operators)
    _static_check_for_broadcastable_batch_shape(operators)
    parents = [parent for o in operators for parent in o.graph_parents]
    with ops.name_scope(name or 'add_operators', values=parents):
        tiers = [[_AddAndReturnScaledIdentity()],
                 [_AddAndReturnDiag()],
                 [_AddAndReturnTriL()],
                 [_AddAndReturnMatrix()]] if addition_tiers is None else addition_tiers
        for tier in tiers:
            if len(operators) == 1:
                break
            operators = _pop_and_add(operators, tier, operator_name)
        return operators


def _pop_and_add(operators, tier, operator_name):
    """The operators, those that an adder of the tier can add put together, in reverse order."""
    rest, done = list(operators), []
    while rest:
        first = rest.pop()
        for i in range(len(rest) - 1, -1, -1):
            adder = next((a for a in tier if a.can_add(first, rest[i])), None)
            if adder is not None:
                rest.append(adder.add(first, rest.pop(i), operator_name))
                break
        else:
            done.append(first)
    return done


def _static_check_for_same_dimensions(operators):
    if len(operators) < 2:
        return
    for what in ('domain', 'range'):
        sizes = [(o.name, getattr(o, what + '_dimension').value) for o in operators
                 if getattr(o, what + '_dimension').value is not None]
        if len(set(value for _, value in sizes)) > 1:
            raise ValueError('Operators must have the same %s dimension. Found: %s' % (what, sizes))


def _static_check_for_broadcastable_batch_shape(operators):
    from leat.python.framework import common_shapes
    if len(operators) < 2:
        return
    batch = operators[0].batch_shape
    for o in operators[1:]:
        batch = common_shapes.broadcast_shape(batch, o.batch_shape)


class _Hints(object):
    """What is known of a sum."""

    def __init__(self, is_non_singular=None, is_positive_definite=None, is_self_adjoint=None):
        self.is_non_singular = is_non_singular
        self.is_positive_definite = is_positive_definite
        self.is_self_adjoint = is_self_adjoint


class _Adder(object):
    """Adds two operators of kinds that it knows."""

    @property
    def name(self):
        return type(self).__name__

    def can_add(self, op1, op2):
        """Whether it does."""
        raise NotImplementedError

    def _add(self, op1, op2, operator_name, hints):
        raise NotImplementedError

    def add(self, op1, op2, operator_name, hints=None):
        """The sum, with the hints that follow from those of the two."""
        updated = _infer_hints_allowing_override(op1, op2, hints)
        if operator_name is None:
            operator_name = 'Add/' + op1.name + '__' + op2.name + '/'
        scope = self.name
        if scope.startswith('_'):
            scope = scope[1:]
        with ops.name_scope(scope):
            return self._add(op1, op2, operator_name, updated)


def _infer_hints_allowing_override(op1, op2, hints):
    hints = hints or _Hints()
    self_adjoint = True if hints.is_self_adjoint is None and op1.is_self_adjoint and \
        op2.is_self_adjoint else hints.is_self_adjoint
    positive = True if hints.is_positive_definite is None and op1.is_positive_definite and \
        op2.is_positive_definite else hints.is_positive_definite
    non_singular = hints.is_non_singular
    if non_singular is None and positive:
        non_singular = True
    return _Hints(non_singular, positive, self_adjoint)


class _AddAndReturnScaledIdentity(_Adder):
    """Two multiples of the identity."""

    def can_add(self, op1, op2):
        return {_type(op1), _type(op2)} <= {_IDENTITY, _SCALED_IDENTITY}

    def _add(self, op1, op2, operator_name, hints):
        first = _multiplier_of(op1)
        second = _multiplier_of(op2)
        return linear_operator_identity.LinearOperatorScaledIdentity(
            num_rows=op1.range_dimension_tensor(), multiplier=first + second,
            is_non_singular=hints.is_non_singular, is_self_adjoint=hints.is_self_adjoint,
            is_positive_definite=hints.is_positive_definite, name=operator_name)


def _multiplier_of(identity):
    if _type(identity) == _SCALED_IDENTITY:
        return identity.multiplier
    return array_ops.ones(identity.batch_shape_tensor(), dtype=identity.dtype)


class _AddAndReturnDiag(_Adder):
    """Two of diagonals and identities."""

    def can_add(self, op1, op2):
        return {_type(op1), _type(op2)} <= set(_EFFICIENT_ADD_TO_TENSOR)

    def _add(self, op1, op2, operator_name, hints):
        return linear_operator_diag.LinearOperatorDiag(
            diag=op1.diag_part() + op2.diag_part(), is_non_singular=hints.is_non_singular,
            is_self_adjoint=hints.is_self_adjoint,
            is_positive_definite=hints.is_positive_definite, name=operator_name)


class _AddAndReturnTriL(_Adder):
    """Two of which one is lower triangular, the other that or simpler."""

    def can_add(self, op1, op2):
        return {_type(op1), _type(op2)} <= set(_EFFICIENT_ADD_TO_TENSOR) | {_TRIL}

    def _add(self, op1, op2, operator_name, hints):
        to_tensor, other = (op1, op2) if _type(op1) in _EFFICIENT_ADD_TO_TENSOR else (op2, op1)
        return linear_operator_lower_triangular.LinearOperatorLowerTriangular(
            tril=to_tensor.add_to_tensor(other.to_dense()), is_non_singular=hints.is_non_singular,
            is_self_adjoint=hints.is_self_adjoint,
            is_positive_definite=hints.is_positive_definite, name=operator_name)


class _AddAndReturnMatrix(_Adder):
    """Any two, as a dense matrix."""

    def can_add(self, op1, op2):
        return isinstance(op1, linear_operator.LinearOperator) and \
            isinstance(op2, linear_operator.LinearOperator)

    def _add(self, op1, op2, operator_name, hints):
        to_tensor, other = (op1, op2) if _type(op1) in _EFFICIENT_ADD_TO_TENSOR else (op2, op1)
        return linear_operator_full_matrix.LinearOperatorFullMatrix(
            matrix=to_tensor.add_to_tensor(other.to_dense()),
            is_non_singular=hints.is_non_singular, is_self_adjoint=hints.is_self_adjoint,
            is_positive_definite=hints.is_positive_definite, name=operator_name)
