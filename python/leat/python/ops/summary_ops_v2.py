# SPDX-License-Identifier: Apache-2.0
"""Summaries that ops write by themselves: the graph's list of them. The writers of
tf.contrib.summary are not there; use tf.summary.FileWriter."""
from leat.python.framework import errors
from leat.python.framework import ops

_SUMMARY_COLLECTION = '_SUMMARY_V2'


def all_v2_summary_ops():
    """The ops of the graph that write summaries."""
    return ops.get_collection(_SUMMARY_COLLECTION)


def initialize(graph=None, session=None):
    """For the writers of tf.contrib.summary, of which there is none."""
    raise RuntimeError('No default tf.contrib.summary.SummaryWriter found')


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
    raise errors.UnimplementedError(
        None, None, 'tf.contrib.summary.create_file_writer; use tf.summary.FileWriter')
