# SPDX-License-Identifier: Apache-2.0
"""read_data_sets(folder): the MNIST digits from the four files there."""
from leat.contrib.learn.python.learn.datasets.base import Datasets  # noqa: F401
from leat.contrib.learn.python.learn.datasets.mnist import (  # noqa: F401
    DEFAULT_SOURCE_URL, FILES, DataSet, dense_to_one_hot, extract_images, extract_labels,
    read_data_sets)

_Datasets = Datasets
