# SPDX-License-Identifier: Apache-2.0
"""Initial filters of convolutions that keep lengths (Xiao et al. 2018)."""
from leat.python.framework import dtypes
from leat.python.ops import array_ops
from leat.python.ops import gen_linalg_ops
from leat.python.ops import init_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops


class _OfGain(init_ops.Initializer):
    """An initializer of a gain and a seed."""

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = init_ops._assert_float_dtype(dtypes.as_dtype(dtype))
        self.seed = seed

    def get_config(self):
        return {'gain': self.gain, 'seed': self.seed, 'dtype': self.dtype.name}

    def _checked(self, shape, ranks):
        if len(shape) not in ranks:
            raise ValueError('The tensor to initialize must be %s' % (
                'three-dimensional, four-dimensional or five-dimensional.' if len(ranks) == 3
                else '%s-dimensional' % {3: 'three', 4: 'four', 5: 'five'}[ranks[0]]))
        if shape[-2] > shape[-1]:
            raise ValueError('In_filters cannot be greater than out_filters.')

    def _orthogonal(self, n):
        drawn = random_ops.random_normal([n, n], dtype=self.dtype, seed=self.seed)
        if self.seed:
            self.seed += 1
        q, r = gen_linalg_ops.qr(drawn)
        return q * math_ops.sign(array_ops.diag_part(r))


class ConvolutionDeltaOrthogonal(_OfGain):
    """An orthogonal matrix at the middle pixel, zeros else."""

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        self._checked(shape, (3, 4, 5))
        drawn = random_ops.random_normal([shape[-1], shape[-1]], dtype=dtype, seed=self.seed)
        q, r = gen_linalg_ops.qr(drawn, full_matrices=False)
        q *= math_ops.sign(array_ops.diag_part(r))
        q = q[:shape[-2], :] * math_ops.cast(self.gain, dtype=dtype)
        middle = [[(n - 1) // 2 for n in shape[:-2]]]
        return array_ops.scatter_nd(middle, array_ops.expand_dims(q, 0), shape)


class ConvolutionOrthogonal(_OfGain):
    """Products of projections that a filter is made of."""

    def _symmetric_projection(self, n):
        q = self._orthogonal(n)
        mask = math_ops.cast(random_ops.random_normal([n], seed=self.seed) > 0, self.dtype)
        if self.seed:
            self.seed += 1
        columns = math_ops.multiply(q, mask)
        return math_ops.matmul(columns, array_ops.matrix_transpose(columns))

    def _product(self, a, b, rank):
        """The convolution of two filters, as dicts of matrices by place."""
        result = {}
        for i, x in a.items():
            for j, y in b.items():
                at = tuple(p + q for p, q in zip(i, j))
                term = math_ops.matmul(x, y)
                result[at] = term if at not in result else result[at] + term
        return result

    def _blocks(self, n, rank):
        """A filter of width 2 in each of rank dims."""
        blocks = {(): None}
        for _ in range(rank):
            p = self._symmetric_projection(n)
            q = linalg_ops.eye(n, dtype=self.dtype) - p
            blocks = {at + (i,): part if m is None else math_ops.matmul(m, part)
                      for at, m in blocks.items() for i, part in ((0, p), (1, q))}
        return blocks

    def _kernel(self, size, cin, cout, rank):
        first = self._orthogonal(cout)[:cin, :]
        kernel = {(0,) * rank: linalg_ops.eye(cout, dtype=self.dtype)}
        for _ in range(size - 1):
            kernel = self._product(kernel, self._blocks(cout, rank), rank)
        kernel = {at: math_ops.matmul(first, m) for at, m in kernel.items()}
        return self._stacked(kernel, size, (), rank)

    def _stacked(self, kernel, size, at, rank):
        if len(at) == rank:
            return kernel[at]
        return array_ops.stack([self._stacked(kernel, size, at + (i,), rank)
                                for i in range(size)])

    _spatial = 2

    def __call__(self, shape, dtype=None, partition_info=None):
        self._checked(shape, (self._spatial + 2,))
        if any(n != shape[0] for n in shape[:self._spatial]):
            raise ValueError('Kernel sizes must be equal.')
        kernel = self._kernel(shape[0], shape[-2], shape[-1], self._spatial)
        return kernel * math_ops.cast(self.gain, dtype=self.dtype if dtype is None else dtype)


class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    _spatial = 1


class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    _spatial = 2


class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    _spatial = 3


convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D
