# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow's own tests use."""
from leat.contrib.testing.python.framework.fake_summary_writer import (  # noqa: F401
    FakeSummaryWriter)
