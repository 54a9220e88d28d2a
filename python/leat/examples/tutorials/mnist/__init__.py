# SPDX-License-Identifier: Apache-2.0
"""The MNIST tutorials' modules."""
from leat.examples.tutorials.mnist import input_data, mnist  # noqa: F401
