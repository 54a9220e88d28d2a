# SPDX-License-Identifier: Apache-2.0
"""tf.summary.FileWriter: summaries, graphs and metadata of runs into a file of events."""
import os
import time

from leat.core.framework import graph_pb2
from leat.core.framework import summary_pb2
from leat.core.protobuf import meta_graph_pb2
from leat.core.util import event_pb2
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.platform import tf_logging as logging
from leat.python.summary import plugin_asset
from leat.python.summary.writer.event_file_writer import EventFileWriter
from leat.python.util.tf_export import tf_export

_PLUGINS_DIR = 'plugins'


class SummaryToEventTransformer(object):
    """Makes Events of what is added, for an event writer."""

    def __init__(self, event_writer, graph=None, graph_def=None):
        self.event_writer = event_writer
        self._session_run_tags = {}
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            from leat.python.framework import meta_graph
            as_def = graph.as_graph_def(add_shapes=True) if isinstance(graph, ops.Graph) else graph
            self.add_meta_graph(
                meta_graph.create_meta_graph_def(graph_def=graph_def or as_def))
        self._seen_summary_tags = set()

    def add_summary(self, summary, global_step=None):
        """A Summary, or its bytes. Metadata is written with a tag's first value alone."""
        if isinstance(summary, bytes):
            summary = summary_pb2.Summary.FromString(summary)
        for value in summary.value:
            if not value.metadata.ByteSize():
                continue
            if value.tag in self._seen_summary_tags:
                value.ClearField('metadata')
                continue
            self._seen_summary_tags.add(value.tag)
        self._add_event(event_pb2.Event(summary=summary), global_step)

    def add_session_log(self, session_log, global_step=None):
        self._add_event(event_pb2.Event(session_log=session_log), global_step)

    def _add_graph_def(self, graph_def, global_step=None):
        self._add_event(event_pb2.Event(graph_def=graph_def.SerializeToString()), global_step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """A Graph, with the shapes of its tensors; or a GraphDef."""
        if graph is not None and graph_def is not None:
            raise ValueError('Please pass only graph, or graph_def (deprecated), but not both.')
        if isinstance(graph, ops.Graph) or isinstance(graph_def, ops.Graph):
            if not isinstance(graph, ops.Graph):
                logging.warning('When passing a `Graph` object, please use the `graph` named '
                                'argument instead of `graph_def`.')
                graph = graph_def
            true_graph_def = graph.as_graph_def(add_shapes=True)
            self._write_plugin_assets(graph)
        elif isinstance(graph, graph_pb2.GraphDef) or isinstance(graph_def, graph_pb2.GraphDef):
            logging.warning('Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a '
                            '`Graph` object instead, such as `sess.graph`.')
            true_graph_def = graph if isinstance(graph, graph_pb2.GraphDef) else graph_def
        else:
            raise TypeError('The passed graph must be an instance of `Graph` or the deprecated '
                            '`GraphDef`')
        self._add_graph_def(true_graph_def, global_step)

    def _write_plugin_assets(self, graph):
        for asset in plugin_asset.get_all_plugin_assets(graph):
            folder = os.path.join(self.event_writer.get_logdir(), _PLUGINS_DIR, asset.plugin_name)
            file_io.recursive_create_dir(folder)
            for name, content in asset.assets().items():
                with file_io.FileIO(os.path.join(folder, name), 'w') as file:
                    file.write(content)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        if not isinstance(meta_graph_def, meta_graph_pb2.MetaGraphDef):
            raise TypeError('meta_graph_def must be type MetaGraphDef, saw type: %s'
                            % type(meta_graph_def))
        self._add_event(event_pb2.Event(meta_graph_def=meta_graph_def.SerializeToString()),
                        global_step)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """What a step told of itself, under a tag of its own."""
        if tag in self._session_run_tags:
            raise ValueError('The provided tag was already used for this event type')
        self._session_run_tags[tag] = True
        tagged = event_pb2.TaggedRunMetadata()
        tagged.tag = tag
        tagged.run_metadata = run_metadata.SerializeToString()
        self._add_event(event_pb2.Event(tagged_run_metadata=tagged), global_step)

    def _add_event(self, event, step):
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)


@tf_export(v1=['summary.FileWriter'])
class FileWriter(SummaryToEventTransformer):
    """Writes summaries and events to a file in logdir; a context manager."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None,
                 filename_suffix=None, session=None):
        if session is not None:
            from leat.python.framework import errors
            raise errors.UnimplementedError(
                None, None, 'a FileWriter that writes by ops of a session; leave out session=')
        self._closed = False
        super(FileWriter, self).__init__(
            EventFileWriter(logdir, max_queue, flush_secs, filename_suffix), graph, graph_def)

    def __enter__(self):
        return self

    def __exit__(self, unused_type, unused_value, unused_traceback):
        self.close()

    def get_logdir(self):
        return self.event_writer.get_logdir()

    def _warn_if_event_writer_is_closed(self):
        if self._closed:
            logging.warning('Attempting to use a closed FileWriter. The operation will be a noop '
                            'unless the FileWriter is explicitly reopened.')

    def _add_event(self, event, step):
        self._warn_if_event_writer_is_closed()
        super(FileWriter, self)._add_event(event, step)

    def add_event(self, event):
        self._warn_if_event_writer_is_closed()
        self.event_writer.add_event(event)

    def flush(self):
        self._warn_if_event_writer_is_closed()
        self.event_writer.flush()

    def close(self):
        self.event_writer.close()
        self._closed = True

    def reopen(self):
        """After close(): goes on in a new file."""
        self.event_writer.reopen()
        self._closed = False
