# SPDX-License-Identifier: Apache-2.0
"""The base class of predictors."""
import abc


class Predictor(abc.ABC):
    """A graph and a session, and what is fed and fetched by which names."""

    @property
    def graph(self):
        return self._graph

    @property
    def session(self):
        return self._session

    @property
    def feed_tensors(self):
        return self._feed_tensors

    @property
    def fetch_tensors(self):
        return self._fetch_tensors

    def __repr__(self):
        return '{} with feed tensors {} and fetch_tensors {}'.format(
            type(self).__name__, self._feed_tensors, self._fetch_tensors)

    def __call__(self, input_dict):
        """{output's name: array} of {input's name: array}."""
        unknown = set(input_dict) - set(self.feed_tensors)
        if unknown:
            raise ValueError('Got unexpected keys in input_dict: {}\nexpected: {}'.format(
                unknown, set(self.feed_tensors)))
        feed_dict = {self.feed_tensors[key]: value for key, value in input_dict.items()}
        return self._session.run(fetches=self.fetch_tensors, feed_dict=feed_dict)
