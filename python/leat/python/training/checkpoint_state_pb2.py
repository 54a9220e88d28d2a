# SPDX-License-Identifier: Apache-2.0
"""CheckpointState, for programs that import it from here."""
from leat import _protos

_protos.fill(__name__)
