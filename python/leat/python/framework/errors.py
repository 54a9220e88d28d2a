# SPDX-License-Identifier: Apache-2.0
"""The exceptions of a run (tf.errors): the names of errors_impl."""
from leat.python.framework import errors_impl as _impl

globals().update({_name: _value for _name, _value in vars(_impl).items()
                  if _name[0] != '_' and _name not in ('traceback', 'tf_export')})
