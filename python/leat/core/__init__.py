# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.core`: the modules of protocol messages, which leat._protos makes."""
from leat import _protos

_protos.install()
