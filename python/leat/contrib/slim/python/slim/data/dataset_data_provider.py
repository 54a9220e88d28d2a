# SPDX-License-Identifier: Apache-2.0
"""The items of a Dataset as tensors, read by queues."""
from leat.contrib.slim.python.slim.data import data_provider
from leat.contrib.slim.python.slim.data import parallel_reader


class DatasetDataProvider(data_provider.DataProvider):
    """One example at a time; its record's key is an item too."""

    def __init__(self, dataset, num_readers=1, reader_kwargs=None, shuffle=True, num_epochs=None,
                 common_queue_capacity=256, common_queue_min=128, record_key='record_key',
                 seed=None, scope=None):
        key, data = parallel_reader.parallel_read(
            dataset.data_sources, reader_class=dataset.reader, num_epochs=num_epochs,
            num_readers=num_readers, reader_kwargs=reader_kwargs, shuffle=shuffle,
            capacity=common_queue_capacity, min_after_dequeue=common_queue_min, seed=seed,
            scope=scope)
        items = dataset.decoder.list_items()
        tensors = dataset.decoder.decode(data, items)
        items_to_tensors = dict(zip(items, tensors))
        if record_key in items_to_tensors:
            raise ValueError('The item name used for `record_key` cannot also be used for a '
                             'dataset item: %s' % record_key)
        items_to_tensors[record_key] = key
        super(DatasetDataProvider, self).__init__(items_to_tensors=items_to_tensors,
                                                  num_samples=dataset.num_samples)
