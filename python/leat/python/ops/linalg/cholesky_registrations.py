# SPDX-License-Identifier: Apache-2.0
"""The registered functions of cholesky(): each stands beside its operator; importing this registers
them all."""
from leat.python.ops.linalg import linear_operator_addition  # noqa: F401
from leat.python.ops.linalg import linear_operator_block_diag  # noqa: F401
from leat.python.ops.linalg import linear_operator_householder  # noqa: F401
from leat.python.ops.linalg import linear_operator_inversion  # noqa: F401
from leat.python.ops.linalg import linear_operator_kronecker  # noqa: F401
from leat.python.ops.linalg import linear_operator_toeplitz  # noqa: F401
from leat.python.ops.linalg import linear_operator_zeros  # noqa: F401
