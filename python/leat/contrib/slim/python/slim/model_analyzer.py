# SPDX-License-Identifier: Apache-2.0
"""Sizes of a model's variables and outputs."""


def tensor_description(var):
    """(type size [n]) in words."""
    description = '(' + str(var.dtype.name) + ' '
    sizes = var.get_shape()
    for i, size in enumerate(sizes):
        description += str(size)
        if i < len(sizes) - 1:
            description += 'x'
    return description + ')'


def analyze_ops(graph, print_info=False):
    """The number of elements of all outputs."""
    if print_info:
        print('---------')
        print('Operations: name -> (type shapes) [size]')
        print('---------')
    total_size = 0
    for op in graph.get_operations():
        op_size = 0
        shapes = []
        for output in op.outputs:
            output_size = output.get_shape().num_elements() or 0
            if output.get_shape():
                shapes.append(tensor_description(output))
            op_size += output_size
        if print_info:
            print(op.name, '\t->', ', '.join(shapes), '[' + str(op_size) + ']')
        total_size += op_size
    return total_size


def analyze_vars(variables, print_info=False):
    """(number of elements, of bytes) of all variables."""
    if print_info:
        print('---------')
        print('Variables: name (type shape) [size]')
        print('---------')
    total_size = total_bytes = 0
    for var in variables:
        var_size = var.get_shape().num_elements() or 0
        var_bytes = var_size * var.dtype.size
        total_size += var_size
        total_bytes += var_bytes
        if print_info:
            print(var.name, tensor_description(var), '[%d, bytes: %d]' % (var_size, var_bytes))
    if print_info:
        print('Total size of variables: %d' % total_size)
        print('Total bytes of variables: %d' % total_bytes)
    return total_size, total_bytes
