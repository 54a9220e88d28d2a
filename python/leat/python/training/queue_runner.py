# SPDX-License-Identifier: Apache-2.0
"""Queue runners under the name that programs import."""
from leat.python.training.queue_runner_impl import (  # noqa: F401
    QueueRunner, add_queue_runner, start_queue_runners)
