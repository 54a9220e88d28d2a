# SPDX-License-Identifier: Apache-2.0
"""Summaries' files under the names of old programs."""
from leat.python.summary.summary_iterator import summary_iterator  # noqa: F401
from leat.python.summary.writer.writer import FileWriter as SummaryWriter  # noqa: F401
from leat.python.summary.writer.writer_cache import (  # noqa: F401
    FileWriterCache as SummaryWriterCache)
