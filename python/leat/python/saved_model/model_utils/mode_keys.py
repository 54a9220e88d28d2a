# SPDX-License-Identifier: Apache-2.0
"""The modes that a model function is built for, which models without an Estimator use as well."""


class EstimatorModeKeys(object):
    """tf.estimator.ModeKeys."""
    TRAIN = 'train'
    EVAL = 'eval'
    PREDICT = 'infer'
