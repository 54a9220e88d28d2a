# SPDX-License-Identifier: Apache-2.0
"""Writes what TensorBoard's projector is to show of embeddings."""
import os

from leat import _protos  # noqa: F401
from leat.contrib.tensorboard.plugins.projector import projector_config_pb2  # noqa: F401
from leat.contrib.tensorboard.plugins.projector.projector_config_pb2 import (  # noqa: F401
    EmbeddingInfo, ProjectorConfig, SpriteMetadata)
from leat.python.lib.io import file_io


def visualize_embeddings(summary_writer, config):
    """The configuration, as a file in the writer's folder."""
    from leat import _text_format
    if isinstance(summary_writer, str):
        logdir = summary_writer
    else:
        logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError('Summary writer must have a logdir')
    text = _text_format.MessageToString(config)
    file_io.write_string_to_file(os.path.join(logdir, 'projector_config.pbtxt'), text)
