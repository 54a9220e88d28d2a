# SPDX-License-Identifier: Apache-2.0
"""Argument scopes and variables; the names that programs take from here."""
from leat import _namespaces
from leat.contrib.framework.python.ops.arg_scope import (  # noqa: F401
    add_arg_scope, arg_scope, arg_scope_func_key, arg_scoped_arguments, current_arg_scope,
    has_arg_scope)

__getattr__, __dir__ = _namespaces.hooks('contrib.framework', globals())
