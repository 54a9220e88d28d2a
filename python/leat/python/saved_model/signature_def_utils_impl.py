# SPDX-License-Identifier: Apache-2.0
"""SignatureDef messages: what a served graph takes and gives."""
from leat.core.framework import types_pb2
from leat.core.protobuf import meta_graph_pb2
from leat.python.framework import dtypes
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.saved_model import signature_constants
from leat.python.saved_model import utils_impl as utils
from leat.python.util.tf_export import tf_export


@tf_export(v1=['saved_model.build_signature_def',
               'saved_model.signature_def_utils.build_signature_def'])
def build_signature_def(inputs=None, outputs=None, method_name=None):
    """A SignatureDef of TensorInfos by name."""
    signature = meta_graph_pb2.SignatureDef()
    for field, infos in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for name, info in (infos or {}).items():
            field[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def _infos(tensors):
    return {key: utils.build_tensor_info(tensor) for key, tensor in tensors.items()}


@tf_export(v1=['saved_model.regression_signature_def',
               'saved_model.signature_def_utils.regression_signature_def'])
def regression_signature_def(examples, predictions):
    """One number for each example."""
    if examples is None:
        raise ValueError('Regression examples cannot be None.')
    if not isinstance(examples, ops.Tensor):
        raise ValueError('Regression examples must be a string Tensor.')
    if predictions is None:
        raise ValueError('Regression predictions cannot be None.')
    inputs = {signature_constants.REGRESS_INPUTS: utils.build_tensor_info(examples)}
    if examples.dtype != dtypes.string:
        raise ValueError('Regression examples must be a string Tensor.')
    output = utils.build_tensor_info(predictions)
    if output.dtype != types_pb2.DT_FLOAT:
        raise ValueError('Regression output must be a float Tensor.')
    return build_signature_def(inputs, {signature_constants.REGRESS_OUTPUTS: output},
                               signature_constants.REGRESS_METHOD_NAME)


@tf_export(v1=['saved_model.classification_signature_def',
               'saved_model.signature_def_utils.classification_signature_def'])
def classification_signature_def(examples, classes, scores):
    """Classes, their scores, or both, for each example."""
    if examples is None:
        raise ValueError('Classification examples cannot be None.')
    if not isinstance(examples, ops.Tensor):
        raise ValueError('Classification examples must be a string Tensor.')
    if classes is None and scores is None:
        raise ValueError('Classification classes and scores cannot both be None.')
    info = utils.build_tensor_info(examples)
    if info.dtype != types_pb2.DT_STRING:
        raise ValueError('Classification examples must be a string Tensor.')
    inputs = {signature_constants.CLASSIFY_INPUTS: info}
    outputs = {}
    if classes is not None:
        info = utils.build_tensor_info(classes)
        if info.dtype != types_pb2.DT_STRING:
            raise ValueError('Classification classes must be a string Tensor.')
        outputs[signature_constants.CLASSIFY_OUTPUT_CLASSES] = info
    if scores is not None:
        info = utils.build_tensor_info(scores)
        if info.dtype != types_pb2.DT_FLOAT:
            raise ValueError('Classification scores must be a float Tensor.')
        outputs[signature_constants.CLASSIFY_OUTPUT_SCORES] = info
    return build_signature_def(inputs, outputs, signature_constants.CLASSIFY_METHOD_NAME)


@tf_export(v1=['saved_model.predict_signature_def',
               'saved_model.signature_def_utils.predict_signature_def'])
def predict_signature_def(inputs, outputs):
    """Tensors by name, to tensors by name."""
    if inputs is None or not inputs:
        raise ValueError('Prediction inputs cannot be None or empty.')
    if outputs is None or not outputs:
        raise ValueError('Prediction outputs cannot be None or empty.')
    return build_signature_def(_infos(inputs), _infos(outputs),
                               signature_constants.PREDICT_METHOD_NAME)


def supervised_train_signature_def(inputs, loss, predictions=None, metrics=None):
    return _supervised_signature_def(signature_constants.SUPERVISED_TRAIN_METHOD_NAME, inputs,
                                     loss=loss, predictions=predictions, metrics=metrics)


def supervised_eval_signature_def(inputs, loss, predictions=None, metrics=None):
    return _supervised_signature_def(signature_constants.SUPERVISED_EVAL_METHOD_NAME, inputs,
                                     loss=loss, predictions=predictions, metrics=metrics)


def _supervised_signature_def(method_name, inputs, loss=None, predictions=None, metrics=None):
    if inputs is None or not inputs:
        raise ValueError('{} inputs cannot be None or empty.'.format(method_name))
    outputs = {}
    for group in (loss, predictions, metrics):
        if group is not None:
            outputs.update(_infos(group))
    return build_signature_def(_infos(inputs), outputs, method_name)


@tf_export(v1=['saved_model.is_valid_signature',
               'saved_model.signature_def_utils.is_valid_signature'])
def is_valid_signature(signature_def):
    """Whether a server knows how to call it."""
    if signature_def is None:
        return False
    return (_is_valid_classification_signature(signature_def) or
            _is_valid_regression_signature(signature_def) or
            _is_valid_predict_signature(signature_def))


def _is_valid_predict_signature(signature_def):
    return (signature_def.method_name == signature_constants.PREDICT_METHOD_NAME and
            len(signature_def.inputs) > 0 and len(signature_def.outputs) > 0)


def _is_valid_regression_signature(signature_def):
    if signature_def.method_name != signature_constants.REGRESS_METHOD_NAME:
        return False
    return (_types(signature_def.inputs) == {
        signature_constants.REGRESS_INPUTS: types_pb2.DT_STRING} and
        _types(signature_def.outputs) == {
            signature_constants.REGRESS_OUTPUTS: types_pb2.DT_FLOAT})


def _is_valid_classification_signature(signature_def):
    if signature_def.method_name != signature_constants.CLASSIFY_METHOD_NAME:
        return False
    if _types(signature_def.inputs) != {signature_constants.CLASSIFY_INPUTS: types_pb2.DT_STRING}:
        return False
    allowed = {signature_constants.CLASSIFY_OUTPUT_CLASSES: types_pb2.DT_STRING,
               signature_constants.CLASSIFY_OUTPUT_SCORES: types_pb2.DT_FLOAT}
    outputs = _types(signature_def.outputs)
    return all(allowed.get(key) == kind for key, kind in outputs.items())


def _types(infos):
    return {key: infos[key].dtype for key in infos}


def op_signature_def(op, key):
    """A signature that only names an operation."""
    return build_signature_def(outputs={key: utils.build_tensor_info_from_op(op)})


def load_op_from_signature_def(signature_def, key, import_scope=None):
    """The operation that such a signature names."""
    try:
        return utils.get_element_from_tensor_info(signature_def.outputs[key],
                                                  import_scope=import_scope)
    except KeyError:
        raise errors.NotFoundError(
            None, None,
            'The key "%s" of a signature in the SavedModel names no operation of the graph' % key
        ) from None
