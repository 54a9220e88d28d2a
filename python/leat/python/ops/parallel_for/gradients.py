# SPDX-License-Identifier: Apache-2.0
"""Jacobians: the gradient of each element of an output."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import gradients_impl as gradient_ops
from leat.python.ops.parallel_for import control_flow_ops
from leat.python.util import nest


def _loop(loop_fn, dtypes, size, use_pfor, parallel_iterations):
    if use_pfor:
        return control_flow_ops.pfor(loop_fn, size, parallel_iterations=parallel_iterations)
    return control_flow_ops.for_loop(loop_fn, dtypes, size,
                                     parallel_iterations=parallel_iterations)


def jacobian(output, inputs, use_pfor=True, parallel_iterations=None):
    """d output / d inputs: of output's shape and then the input's, for each of inputs."""
    flat_inputs = nest.flatten(inputs)
    static_shape = output.shape
    output_shape = array_ops.shape(output)
    output = array_ops.reshape(output, [-1])
    size = output.shape.as_list()[0]
    if size is None:
        size = array_ops.shape(output)[0]

    def loop_fn(i):
        return gradient_ops.gradients(array_ops.gather(output, i), flat_inputs)

    results = list(_loop(loop_fn, [output.dtype] * len(flat_inputs), size, use_pfor,
                         parallel_iterations))
    for i, out in enumerate(results):
        if isinstance(out, ops.Tensor):
            shape = array_ops.concat([output_shape, array_ops.shape(out)[1:]], axis=0)
            out = array_ops.reshape(out, shape)
            out.set_shape(static_shape.concatenate(flat_inputs[i].shape))
            results[i] = out
    return nest.pack_sequence_as(inputs, results)


def batch_jacobian(output, inp, use_pfor=True, parallel_iterations=None):
    """d output[b] / d inp[b] for each b: of shape [b] + output's other dims + inp's other dims."""
    output_shape, inp_shape = output.shape, inp.shape
    if not output_shape[0].is_compatible_with(inp_shape[0]):
        raise ValueError('Need first dimension of output shape (%s) and inp shape (%s) to match.'
                         % (output_shape, inp_shape))
    output_dynamic = array_ops.shape(output)
    if output_shape.is_fully_defined():
        batch = int(output_shape[0])
        row = output_shape.num_elements() // batch if batch else 0
    else:
        batch = output_dynamic[0]
        row = array_ops.size(output) // batch
    inp_dynamic = array_ops.shape(inp)
    with ops.control_dependencies([check_ops.assert_equal(batch, inp_dynamic[0])]):
        output = array_ops.reshape(output, [batch, row])

    def loop_fn(i):
        return gradient_ops.gradients(array_ops.gather(output, i, axis=1), inp)[0]

    result = _loop(loop_fn, output.dtype, row, use_pfor, parallel_iterations)
    if result is None:
        return None
    result = array_ops.reshape(result, [row, batch, -1])
    result = array_ops.transpose(result, [1, 0, 2])
    new_shape = array_ops.concat([output_dynamic, inp_dynamic[1:]], axis=0)
    result = array_ops.reshape(result, new_shape)
    result.set_shape(output_shape.concatenate(inp_shape[1:]))
    return result
