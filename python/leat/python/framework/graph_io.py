# SPDX-License-Identifier: Apache-2.0
"""Graphs to files."""
import os.path

from leat import _text_format as text_format
from leat.python.framework import ops
from leat.python.lib.io import file_io


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph (or any message) as text or bytes; the file's path."""
    message = graph_or_graph_def
    if isinstance(message, ops.Graph):
        message = message.as_graph_def()
    if not logdir.startswith('gs:') and logdir:
        file_io.recursive_create_dir(logdir)
    path = os.path.join(logdir, name)
    if as_text:
        file_io.atomic_write_string_to_file(path, text_format.MessageToString(
            message, float_format=''))
    else:
        file_io.atomic_write_string_to_file(path, message.SerializeToString())
    return path
