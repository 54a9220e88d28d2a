# SPDX-License-Identifier: Apache-2.0
"""Normal vectors: by a diagonal, by a triangular matrix, by a covariance. Their scales are tensors
here, not linear operators, so that there is no property `scale`."""
import math

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops.distributions import distribution
from leat.python.ops.distributions import kullback_leibler


class _MultivariateNormal(distribution.Distribution):
    """loc + scale z of a standard normal vector z, scale being _diag or _tril."""

    _diag = _tril = None

    def _begin(self, loc, parameters, name):
        self._loc = loc
        scale = self._diag if self._tril is None else self._tril[..., 0]
        self._like = scale if loc is None else scale + loc  # has the batch's shape, and the event's
        scale = self._diag if self._tril is None else self._tril
        super(_MultivariateNormal, self).__init__(
            dtype=scale.dtype, reparameterization_type=distribution.FULLY_REPARAMETERIZED,
            validate_args=parameters['validate_args'],
            allow_nan_stats=parameters['allow_nan_stats'], parameters=parameters,
            graph_parents=[scale] + ([] if loc is None else [loc]), name=name)

    @property
    def loc(self):
        return self._loc

    def _batch_shape_tensor(self):
        return array_ops.shape(self._like)[:-1]

    def _batch_shape(self):
        return self._like.get_shape()[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self._like)[-1:]

    def _event_shape(self):
        return self._like.get_shape()[-1:]

    def _spread(self, x):
        return x + array_ops.zeros_like(self._like)

    def _scaled(self, z):
        if self._tril is None:
            return self._diag * z
        return math_ops.reduce_sum(self._tril * z[..., array_ops.newaxis, :], axis=-1)

    def _unscaled(self, x):
        if self._tril is None:
            return x / self._diag
        # One matrix for all the samples before the batch's dims.
        tril = self._tril + array_ops.zeros_like(x)[..., array_ops.newaxis]
        return array_ops.squeeze(linalg_ops.matrix_triangular_solve(
            tril, x[..., array_ops.newaxis], lower=True), axis=[-1])

    def _log_abs_det(self):
        diag = self._diag if self._tril is None else array_ops.matrix_diag_part(self._tril)
        return math_ops.reduce_sum(math_ops.log(math_ops.abs(diag)), axis=-1)

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], array_ops.shape(self._like)], 0)
        x = self._scaled(random_ops.random_normal(shape=shape, dtype=self.dtype, seed=seed))
        return x if self._loc is None else x + self._loc

    def _log_prob(self, x):
        z = self._unscaled(x if self._loc is None else x - self._loc)
        k = math_ops.cast(array_ops.shape(self._like)[-1], self.dtype)
        return (-0.5 * math_ops.reduce_sum(math_ops.square(z), axis=-1) -
                0.5 * k * math.log(2. * math.pi) - self._log_abs_det())

    def _entropy(self):
        k = math_ops.cast(array_ops.shape(self._like)[-1], self.dtype)
        return (0.5 * k * math.log(2. * math.pi * math.e) + self._log_abs_det() +
                array_ops.zeros_like(self._like[..., 0]))

    def _mean(self):
        return self._spread(array_ops.zeros_like(self._like) if self._loc is None else self._loc)

    def _mode(self):
        return self._mean()

    def _variance(self):
        if self._tril is None:
            return self._spread(math_ops.square(self._diag))
        return self._spread(math_ops.reduce_sum(math_ops.square(self._tril), axis=-1))

    def _stddev(self):
        return math_ops.sqrt(self._variance())

    def _covariance(self):
        zeros = array_ops.zeros_like(self._like)[..., array_ops.newaxis]
        if self._tril is None:
            return array_ops.matrix_diag(math_ops.square(self._diag)) + zeros
        return math_ops.matmul(self._tril, self._tril, transpose_b=True) + zeros


def _tensor(value, name):
    return None if value is None else ops.convert_to_tensor(value, name=name)


class MultivariateNormalDiag(_MultivariateNormal):
    """Independent numbers, each with its width: scale_diag + scale_identity_multiplier."""

    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None,
                 validate_args=False, allow_nan_stats=True, name='MultivariateNormalDiag'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            loc, diag = _tensor(loc, 'loc'), _tensor(scale_diag, 'scale_diag')
            multiplier = _tensor(scale_identity_multiplier, 'scale_identity_multiplier')
            if diag is None:
                if loc is None:
                    raise ValueError('Unable to infer shape: one of `loc` and `scale_diag` must be '
                                     'given.')
                ones = array_ops.ones_like(loc[..., :] if multiplier is None else loc)
                diag = ones if multiplier is None else ones * multiplier[..., array_ops.newaxis]
            elif multiplier is not None:
                diag = diag + multiplier[..., array_ops.newaxis]
            if validate_args:
                diag = control_flow_ops.with_dependencies([check_ops.assert_positive(
                    diag, message='diagonal part must be positive')], diag)
            self._diag = diag
            self._begin(loc, parameters, name)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag of softplus(scale_diag)."""

    def __init__(self, loc, scale_diag, validate_args=False, allow_nan_stats=True,
                 name='MultivariateNormalDiagWithSoftplusScale'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale_diag]) as name:
            super(MultivariateNormalDiagWithSoftplusScale, self).__init__(
                loc=loc, scale_diag=nn_ops.softplus(scale_diag), validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}


class MultivariateNormalTriL(_MultivariateNormal):
    """By a lower triangular matrix; the upper part of what is given does not count."""

    def __init__(self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True,
                 name='MultivariateNormalTriL'):
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError('Must specify one or both of `loc`, `scale_tril`.')
        with ops.name_scope(name, values=[loc, scale_tril]) as name:
            loc, tril = _tensor(loc, 'loc'), _tensor(scale_tril, 'scale_tril')
            if tril is None:
                self._diag = array_ops.ones_like(loc)
            else:
                tril = array_ops.matrix_band_part(tril, -1, 0)
                if validate_args:
                    tril = control_flow_ops.with_dependencies([check_ops.assert_none_equal(
                        array_ops.matrix_diag_part(tril), array_ops.zeros([], tril.dtype),
                        message='diagonal part must be non-zero')], tril)
                self._tril = tril
            self._begin(loc, parameters, name)


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """By a covariance, whose Cholesky factor is taken."""

    def __init__(self, loc=None, covariance_matrix=None, validate_args=False,
                 allow_nan_stats=True, name='MultivariateNormalFullCovariance'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[loc, covariance_matrix]) as name:
            tril = None
            if covariance_matrix is not None:
                covariance = ops.convert_to_tensor(covariance_matrix, name='covariance_matrix')
                if validate_args:
                    covariance = control_flow_ops.with_dependencies([check_ops.assert_equal(
                        covariance, array_ops.matrix_transpose(covariance),
                        message='Matrix was not symmetric')], covariance)
                tril = linalg_ops.cholesky(covariance)
            super(MultivariateNormalFullCovariance, self).__init__(
                loc=loc, scale_tril=tril, validate_args=validate_args,
                allow_nan_stats=allow_nan_stats, name=name)
        self._parameters = {k: v for k, v in parameters.items()
                            if not k.startswith('__') and k != 'self'}


@kullback_leibler.RegisterKL(_MultivariateNormal, _MultivariateNormal)
def _kl_mvn_mvn(a, b, name=None):
    """log |B| - log |A| + (|B^-1 A|^2 - k + |B^-1 (b - a)|^2) / 2, of the scales A and B"""
    with ops.name_scope(name, 'kl_mvn', values=[a._like, b._like]):
        difference = b._unscaled(b.mean() - a.mean())
        k = math_ops.cast(array_ops.shape(a._like)[-1], a.dtype)
        if a._tril is None and b._tril is None:
            trace = math_ops.reduce_sum(math_ops.square(a._diag / b._diag), axis=-1)
        else:
            full = [d._tril if d._tril is not None else array_ops.matrix_diag(d._diag)
                    for d in (a, b)]
            trace = math_ops.reduce_sum(math_ops.square(linalg_ops.matrix_triangular_solve(
                full[1], full[0], lower=True)), axis=[-2, -1])
        return (b._log_abs_det() - a._log_abs_det() + 0.5 * (
            trace - k + math_ops.reduce_sum(math_ops.square(difference), axis=-1)))
