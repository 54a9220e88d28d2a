# SPDX-License-Identifier: Apache-2.0
"""What the layers share: formats, getters of model variables, collections."""
from leat.contrib.framework.python.ops import variables
from leat.contrib.layers.python.layers import utils
from leat.python.framework import ops
from leat.python.ops import variable_scope
from leat.python.ops import variables as tf_variables

DATA_FORMAT_NCHW = 'NCHW'
DATA_FORMAT_NHWC = 'NHWC'
DATA_FORMAT_NCDHW = 'NCDHW'
DATA_FORMAT_NDHWC = 'NDHWC'
_AUTO = variable_scope.VariableSynchronization.AUTO
_NONE = variable_scope.VariableAggregation.NONE


def check_2d(data_format):
    if data_format not in (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC):
        raise ValueError('data_format has to be either NCHW or NHWC.')


def check_3d(data_format):
    if data_format not in (DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC):
        raise ValueError('data_format has to be either NCDHW or NDHWC.')


def channels(data_format):
    """NHWC... as tf.layers calls it."""
    first = data_format and data_format.startswith('NC')
    return 'channels_first' if first else 'channels_last'


def _model_variable_getter(getter, name, shape=None, dtype=None, initializer=None,
                           regularizer=None, trainable=True, collections=None,
                           caching_device=None, partitioner=None, rename=None, use_resource=None,
                           synchronization=_AUTO, aggregation=_NONE, **_):
    """Makes get_variable make model variables, under other names where rename says so."""
    head, _, short_name = name.rpartition('/')
    if rename and short_name in rename:
        name = (head + '/' if head else '') + rename[short_name]
    return variables.model_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        collections=collections, trainable=trainable, caching_device=caching_device,
        partitioner=partitioner, custom_getter=getter, use_resource=use_resource,
        synchronization=synchronization, aggregation=aggregation)


def _build_variable_getter(rename=None):
    def layer_variable_getter(getter, *args, **kwargs):
        kwargs['rename'] = rename
        return _model_variable_getter(getter, *args, **kwargs)
    return layer_variable_getter


def _add_variable_to_collections(variable, collections_set, collections_name):
    """Puts the variable, or its parts, into the collections for it."""
    collections = utils.get_variable_collections(collections_set, collections_name) or []
    parts = ([variable] if not isinstance(variable, tf_variables.PartitionedVariable)
             else list(variable))
    for collection in collections:
        for part in parts:
            if not any(v is part for v in ops.get_collection(collection)):
                ops.add_to_collection(collection, part)


def _apply_activation(y, activation_fn, output_collections):
    if activation_fn is not None:
        y = activation_fn(y)
    ops.add_to_collections(list(output_collections or []) + [ops.GraphKeys.ACTIVATIONS], y)
    return y


def finish(outputs, normalizer_fn, normalizer_params, activation_fn, outputs_collections, alias):
    """Normalised, activated, collected."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, alias, outputs)
