# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's example programs' modules."""
from leat.examples import tutorials  # noqa: F401
