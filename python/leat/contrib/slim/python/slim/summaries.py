# SPDX-License-Identifier: Apache-2.0
"""Summaries of tensors under names made of prefix, name and what they are."""
from leat.python.ops import logging_ops
from leat.python.ops import nn_impl as nn
from leat.python.summary import summary

__all__ = ['add_histogram_summary', 'add_image_summary', 'add_scalar_summary',
           'add_zero_fraction_summary', 'add_histogram_summaries', 'add_image_summaries',
           'add_scalar_summaries', 'add_zero_fraction_summaries']


def _get_summary_name(tensor, name=None, prefix=None, postfix=None):
    if not name:
        name = tensor.op.name
    if prefix:
        name = prefix + '/' + name
    if postfix:
        name = name + '/' + postfix
    return name


def add_histogram_summary(tensor, name=None, prefix=None):
    return summary.histogram(_get_summary_name(tensor, name, prefix), tensor)


def add_image_summary(tensor, name=None, prefix=None, print_summary=False):
    """The images; printed too where that is said."""
    name = _get_summary_name(tensor, name, prefix)
    if print_summary:
        tensor = logging_ops.Print(tensor, [tensor], name)
    return summary.image(name=name, tensor=tensor)


def add_scalar_summary(tensor, name=None, prefix=None, print_summary=False):
    """The number; printed too where that is said."""
    name = _get_summary_name(tensor, name, prefix)
    if print_summary:
        tensor = logging_ops.Print(tensor, [tensor], name)
    return summary.scalar(name, tensor)


def add_zero_fraction_summary(tensor, name=None, prefix=None, print_summary=False):
    name = _get_summary_name(tensor, name, prefix, 'Fraction of Zero Values')
    return add_scalar_summary(nn.zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors, prefix=None):
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors, prefix=None):
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors, prefix=None, print_summary=False):
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary)
            for tensor in tensors]


def add_zero_fraction_summaries(tensors, prefix=None):
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
