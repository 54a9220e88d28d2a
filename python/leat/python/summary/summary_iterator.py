# SPDX-License-Identifier: Apache-2.0
"""The events of a file that a FileWriter wrote."""
from leat.core.util import event_pb2
from leat.python.lib.io import tf_record
from leat.python.util.tf_export import tf_export


@tf_export(v1=['train.summary_iterator'])
def summary_iterator(path):
    """An iterator over them, as Event messages."""
    for record in tf_record.tf_record_iterator(path):
        yield event_pb2.Event.FromString(record)
