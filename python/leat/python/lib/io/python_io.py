# SPDX-License-Identifier: Apache-2.0
"""tf.python_io: files of records."""
from leat.python.lib.io.tf_record import (
    TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator)

__all__ = ['TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'tf_record_iterator']
