# SPDX-License-Identifier: Apache-2.0
"""exp(A) by scaling and squaring with Pade approximants (Higham 2005, SIAM J. Matrix Anal. 26)."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_linalg_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops

# Coefficients of the approximants by their degree, the leading 1 left out; Higham's table 10.4.
_COEFFICIENTS = {
    3: (120., 60., 12.),
    5: (30240., 15120., 3360., 420., 30.),
    7: (17297280., 8648640., 1995840., 277200., 25200., 1512., 56.),
    9: (17643225600., 8821612800., 2075673600., 302702400., 30270240., 2162160., 110880., 3960.,
        90.),
    13: (64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,
         129060195264000., 10559470521600., 670442572800., 33522128640., 1323241920., 40840800.,
         960960., 16380., 182.)}
# Up to which 1-norm an approximant is exact enough, by type; beyond the last, A is scaled.
_SINGLE = ((3, 4.258730016922831e-001), (5, 1.880152677804762e+000), (7, 3.925724783138660))
_DOUBLE = ((3, 1.495585217958292e-002), (5, 2.539398330063230e-001), (7, 9.504178996162932e-001),
           (9, 2.097847961257068e+000), (13, 5.371920351148152))


def _identity(matrix):
    return linalg_ops.eye(array_ops.shape(matrix)[-2], batch_shape=array_ops.shape(matrix)[:-2],
                          dtype=matrix.dtype)


def _sum(terms, first=None):
    """The sum of (coefficient, matrix), after a first matrix."""
    total = first
    for coefficient, matrix in terms:
        part = coefficient * matrix
        total = part if total is None else total + part
    return total


def _pade(matrix, degree):
    """(U, V), odd and even powers: the approximant is (V - U)^-1 (V + U)."""
    b = [constant_op.constant(c, matrix.dtype) for c in _COEFFICIENTS[degree]]
    powers = {0: _identity(matrix)}
    powers[2] = math_ops.matmul(matrix, matrix)
    top = 6 if degree == 13 else degree - 1
    for n in range(4, top + 1, 2):
        powers[n] = math_ops.matmul(powers[n - 2], powers[2])
    if degree != 13:
        low = _sum([(b[n + 1], powers[n]) for n in range(top - 2, -1, -2)], powers[top])
        return math_ops.matmul(matrix, low), _sum([(b[n], powers[n])
                                                   for n in range(top, -1, -2)])
    high = _sum([(b[11], powers[4]), (b[9], powers[2])], powers[6])
    low = _sum([(b[7], powers[6]), (b[5], powers[4]), (b[3], powers[2]), (b[1], powers[0])],
               math_ops.matmul(powers[6], high))
    odd = math_ops.matmul(matrix, low)
    high = _sum([(b[12], powers[6]), (b[10], powers[4]), (b[8], powers[2])])
    even = _sum([(b[6], powers[6]), (b[4], powers[4]), (b[2], powers[2]), (b[0], powers[0])],
                math_ops.matmul(powers[6], high))
    return odd, even


def _choose(norm, bounds, cases):
    """The first case whose bound is above the norm, the last else."""
    below = math_ops.less(norm, constant_op.constant(bounds[0], norm.dtype))
    rest = cases[1] if len(bounds) == 1 else _choose(norm, bounds[1:], cases[1:])
    return array_ops.where(below, cases[0], rest)


def _squared(result, squarings, norm_dtype):
    """result squared so many times, each matrix as often as its own number says."""
    from leat.python.ops import control_flow_ops
    most = math_ops.reduce_max(squarings)
    start = constant_op.constant(0.0, norm_dtype)
    return control_flow_ops.while_loop(
        lambda i, _: math_ops.less(i, most),
        lambda i, r: (i + 1, array_ops.where(math_ops.less(i, squarings), math_ops.matmul(r, r),
                                             r)), [start, result])[1]


def matrix_exponential(input, name=None):
    """The exponential of matrices."""
    with ops.name_scope(name, 'matrix_exponential', [input]):
        matrix = ops.convert_to_tensor(input, name='input')
        if matrix.shape[-2:].as_list() == [0, 0]:
            return matrix
        batch = matrix.shape[:-2]
        whole = batch.is_fully_defined()
        if not whole:
            batch = array_ops.shape(matrix)[:-2]
        matrix = array_ops.reshape(matrix, array_ops.concat(
            ([-1], array_ops.shape(matrix)[-2:]), axis=0))
        norm = math_ops.reduce_max(math_ops.reduce_sum(
            math_ops.abs(matrix), axis=array_ops.size(array_ops.shape(matrix)) - 2), axis=-1)
        if matrix.dtype in (dtypes.float16, dtypes.float32, dtypes.complex64):
            table = _SINGLE
        elif matrix.dtype in (dtypes.float64, dtypes.complex128):
            table = _DOUBLE
        else:
            raise ValueError('tf.linalg.expm does not support matrices of type %s'
                             % matrix.dtype)
        squarings = math_ops.maximum(math_ops.floor(
            math_ops.log(norm / constant_op.constant(table[-1][1], norm.dtype)) /
            math_ops.log(constant_op.constant(2.0, norm.dtype))), 0)
        parts = [_pade(matrix, degree) for degree, _ in table[:-1]]
        scale = math_ops.cast(math_ops.pow(constant_op.constant(2.0, norm.dtype), squarings),
                              matrix.dtype)
        parts.append(_pade(matrix / scale[..., array_ops.newaxis, array_ops.newaxis],
                           table[-1][0]))
        bounds = [bound for _, bound in table[:-1]]
        u = _choose(norm, bounds, [p[0] for p in parts])
        v = _choose(norm, bounds, [p[1] for p in parts])
        numerator, denominator = u + v, -u + v
        result = gen_linalg_ops.matrix_solve(denominator, numerator)
        result = _squared(result, squarings, norm.dtype)
        if whole:
            return array_ops.reshape(result, batch.concatenate(result.shape[-2:]))
        return array_ops.reshape(result, array_ops.concat(
            (batch, array_ops.shape(result)[-2:]), axis=0))
