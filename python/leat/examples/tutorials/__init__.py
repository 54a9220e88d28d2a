# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's tutorials' modules."""
from leat.examples.tutorials import mnist  # noqa: F401
