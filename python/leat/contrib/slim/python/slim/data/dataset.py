# SPDX-License-Identifier: Apache-2.0
"""A data set: its files, how they are read and decoded, how many examples there are."""


class Dataset(object):
    """What it is made with, as attributes."""

    def __init__(self, data_sources, reader, decoder, num_samples, items_to_descriptions,
                 **kwargs):
        kwargs['data_sources'] = data_sources
        kwargs['reader'] = reader
        kwargs['decoder'] = decoder
        kwargs['num_samples'] = num_samples
        kwargs['items_to_descriptions'] = items_to_descriptions
        self.__dict__.update(kwargs)
