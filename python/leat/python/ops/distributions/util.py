# SPDX-License-Identifier: Apache-2.0
"""What distributions share: logits and probabilities, each from the other; integers checked."""
from leat.python.framework import ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn


def get_logits_and_probs(logits=None, probs=None, multidimensional=False, validate_args=False,
                         name='get_logits_and_probs', dtype=None):
    """(logits, probs) of the one that is given."""
    with ops.name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError('Must pass probs or logits, but not both.')
        if probs is None:
            logits = ops.convert_to_tensor(logits, name='logits', dtype=dtype)
            if not logits.dtype.is_floating:
                raise TypeError('logits must having floating type.')
            if multidimensional:
                return logits, nn.softmax(logits, name='probs')
            return logits, math_ops.sigmoid(logits, name='probs')
        probs = ops.convert_to_tensor(probs, name='probs', dtype=dtype)
        if not probs.dtype.is_floating:
            raise TypeError('probs must having floating type.')
        if validate_args:
            with ops.name_scope('validate_probs'):
                dependencies = [check_ops.assert_non_negative(probs)]
                one = ops.convert_to_tensor(1., dtype=probs.dtype, name='one')
                if not multidimensional:
                    dependencies.append(check_ops.assert_less_equal(
                        probs, one, message='probs has components greater than 1.'))
                probs = control_flow_ops.with_dependencies(dependencies, probs)
        with ops.name_scope('logits'):
            if multidimensional:
                return math_ops.log(probs), probs
            return math_ops.log(probs) - math_ops.log1p(-1. * probs), probs


def gen_new_seed(seed, salt):
    """Another seed, made of the seed and a word."""
    import hashlib
    if seed is None:
        return None
    text = (str(seed) + salt).encode('utf-8')
    return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF
