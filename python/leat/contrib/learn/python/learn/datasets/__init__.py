# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.learn.datasets."""
from leat.contrib.learn.python.learn.datasets import base, mnist  # noqa: F401

DATASETS = {'iris': base.load_iris, 'boston': base.load_boston, 'mnist': mnist.load_mnist}


def load_dataset(name, size='small', test_with_fake_data=False):
    """A data set by its name."""
    if name not in DATASETS:
        raise ValueError('Name of dataset is not found: %s' % name)
    return DATASETS[name]()
