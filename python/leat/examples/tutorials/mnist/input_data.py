# SPDX-License-Identifier: Apache-2.0
"""read_data_sets(folder): the MNIST digits from the four files there."""
from leat.contrib.learn.python.learn.datasets.mnist import read_data_sets  # noqa: F401
