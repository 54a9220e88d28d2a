# SPDX-License-Identifier: Apache-2.0
"""Networks for images: alexnet, overfeat, resnet_v1, resnet_v2, vgg."""
import importlib

_NETS = ('alexnet', 'inception', 'overfeat', 'resnet_utils', 'resnet_v1', 'resnet_v2', 'vgg')


def __getattr__(name):
    if name in _NETS:
        try:
            return importlib.import_module('leat.contrib.slim.python.slim.nets.' + name)
        except ModuleNotFoundError:
            pass
    raise AttributeError('module \'tensorflow.contrib.slim.nets\' has no attribute %r: it is not '
                         'there yet' % name)


def __dir__():
    return list(_NETS)
