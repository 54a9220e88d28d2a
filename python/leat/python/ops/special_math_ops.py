# SPDX-License-Identifier: Apache-2.0
"""einsum, and functions made of special functions."""
import re

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_math_ops
from leat.python.ops import math_ops


def lbeta(x, name=None):
    """The logarithm of the multivariate beta function along the last dim."""
    with ops.name_scope(name, 'lbeta', [x]):
        x = ops.convert_to_tensor(x, name='x')
        top = math_ops.reduce_sum(math_ops.lgamma(x), axis=[-1])
        bottom = math_ops.lgamma(math_ops.reduce_sum(x, axis=[-1]))
        return top - bottom


def _bessel(name, default, x, make):
    with ops.name_scope(name, default, [x]):
        return math_ops.exp(math_ops.abs(x)) * make(x)


def bessel_i0(x, name=None):
    """The modified Bessel function of order 0."""
    return _bessel(name, 'bessel_i0', x, lambda v: gen_math_ops.bessel_i0e(v))


def bessel_i1(x, name=None):
    """The modified Bessel function of order 1."""
    return _bessel(name, 'bessel_i1', x, lambda v: gen_math_ops.bessel_i1e(v))


# ---- einsum ----


def _einsum_parse_and_resolve_equation(equation, input_ranks):
    """(labels of each input, labels of the output), ellipses replaced by letters of their own."""
    match = re.match(r'^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$', equation)
    if not match:
        raise ValueError('Indices have incorrect format: %s' % equation)
    inputs = match.group(1).split(',')
    output = match.group(2)[2:] if match.group(2) else None
    if len(inputs) != len(input_ranks):
        raise ValueError('Got %d arguments for equation "%s", expecting %d'
                         % (len(input_ranks), equation, len(inputs)))
    used = set(equation)
    free = [c for c in 'ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba' if c not in used]
    most = 0
    for labels, rank in zip(inputs, input_ranks):
        if '...' in labels:
            if rank is None:
                raise ValueError('Unable to statically infer ellipsis axes.')
            most = max(most, rank - (len(labels) - 3))
    extra = ''.join(reversed(free[:most]))
    resolved = []
    for labels, rank in zip(inputs, input_ranks):
        if '...' in labels:
            count = rank - (len(labels) - 3)
            labels = labels.replace('...', extra[len(extra) - count:] if count else '')
        if '.' in labels:
            raise ValueError('Subscript not supported: %s' % labels)
        resolved.append(labels)
    if output is None:
        joined = ''.join(resolved)
        output = ''.join(sorted(c for c in set(joined) - set(extra) if joined.count(c) == 1))
        output = (extra if '...' in equation else '') + output
    else:
        output = output.replace('...', extra)
    return resolved, output


def _check_labels(inputs, labels, output):
    for tensor, axis in zip(inputs, labels):
        if len(set(axis)) != len(axis):
            raise ValueError('Subscript not supported: an axis appears more than once: %s' % axis)
        rank = tensor.get_shape().ndims
        if rank is not None and rank != len(axis):
            raise ValueError('Input %s must have rank %d' % (tensor.name, len(axis)))
    for c in output:
        if not any(c in axis for axis in labels):
            raise ValueError('Invalid equation: the output has %r, which no input has' % c)


def _get_shape(tensor):
    """The dims, as scalars where they are not known."""
    shape = tensor.get_shape().as_list()
    if None in shape:
        whole = array_ops.shape(tensor)
        shape = [whole[i] if d is None else d for i, d in enumerate(shape)]
    return shape


def _total_size(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def _transpose_if_necessary(tensor, perm):
    if list(perm) != list(range(len(perm))):
        return array_ops.transpose(tensor, perm=perm)
    return tensor


def _reshape_if_necessary(tensor, new_shape):
    new_shape = tuple(-1 if d is None else d for d in new_shape)
    old = tuple(tensor.get_shape().as_list())
    if len(new_shape) == len(old) and all(
            not isinstance(d1, ops.Tensor) and (d0 == d1 or d1 == -1)
            for d0, d1 in zip(old, new_shape)):
        return tensor
    return array_ops.reshape(tensor, new_shape)


def _einsum_reduction(t0, labels0, t1, labels1, axes_to_sum):
    """(the product summed over some axes, its labels): a product of matrices where it sums."""
    kinds = ([], [], [], [])  # of both and kept, of the first, of the second, summed
    for c in sorted(set(labels0) | set(labels1)):
        if c in axes_to_sum:
            kinds[3].append(c)
        elif c in labels0 and c in labels1:
            kinds[0].append(c)
        else:
            kinds[1 if c in labels0 else 2].append(c)
    both, first, second, summed = kinds
    order0, order1 = both + first + summed, both + summed + second
    t0 = _transpose_if_necessary(t0, [labels0.index(c) for c in order0])
    t1 = _transpose_if_necessary(t1, [labels1.index(c) for c in order1])
    labels = both + first + second
    if not axes_to_sum:
        for _ in second:
            t0 = array_ops.expand_dims(t0, -1)
        for _ in first:
            t1 = array_ops.expand_dims(t1, len(both))
        return math_ops.multiply(t0, t1), labels
    n = len(both)
    shape0 = _get_shape(t0)
    batch, shape_first = shape0[:n], shape0[n:n + len(first)]
    size_summed = _total_size(shape0[n + len(first):])
    t0 = _reshape_if_necessary(t0, batch + [_total_size(shape_first), size_summed])
    shape1 = _get_shape(t1)
    shape_second = shape1[n + len(summed):]
    t1 = _reshape_if_necessary(
        t1, shape1[:n] + [_total_size(shape1[n:n + len(summed)]), _total_size(shape_second)])
    product = math_ops.matmul(t0, t1)
    return _reshape_if_necessary(product, batch + shape_first + shape_second), labels


def einsum(equation, *inputs, **kwargs):
    """Sums of products by Einstein's notation."""
    name = kwargs.pop('name', None)
    kwargs.pop('optimize', None)
    if kwargs:
        raise TypeError('invalid keyword arguments for this function: %s'
                        % ', '.join(sorted(kwargs)))
    with ops.name_scope(name, 'einsum', [equation, inputs]):
        inputs = [ops.convert_to_tensor(x, name='input') for x in inputs]
        equation = equation.replace(' ', '')
        labels, output = _einsum_parse_and_resolve_equation(
            equation, [x.get_shape().ndims for x in inputs])
        _check_labels(inputs, labels, output)
        result, result_labels = inputs[0], list(labels[0])
        for i in range(1, len(inputs)):
            rest = ''.join(labels[i + 1:]) + output
            own = list(labels[i])
            shared = {c for c in result_labels if c in own and c not in rest}
            result, result_labels = _einsum_reduction(result, result_labels, inputs[i], own,
                                                      shared)
        gone = [i for i, c in enumerate(result_labels) if c not in output]
        if gone:
            result = math_ops.reduce_sum(result, axis=gone)
        kept = [c for c in result_labels if c in output]
        missing = set(output) - set(kept)
        if missing:
            raise ValueError('Invalid subscripts: output subscripts contain labels that do not '
                             'appear: %s' % ''.join(sorted(missing)))
        return _transpose_if_necessary(result, [kept.index(c) for c in output])

