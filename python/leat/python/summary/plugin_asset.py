# SPDX-License-Identifier: Apache-2.0
"""Files that go with a graph for a plugin of TensorBoard."""
import abc

from leat.python.framework import ops

_PLUGIN_ASSET_PREFIX = '__tensorboard_plugin_asset__'


def get_plugin_asset(plugin_asset_cls, graph=None):
    """The graph's asset of a class, made when first asked for."""
    if graph is None:
        graph = ops.get_default_graph()
    if not plugin_asset_cls.plugin_name:
        raise ValueError('Class %s has no plugin_name' % plugin_asset_cls.__name__)
    name = _PLUGIN_ASSET_PREFIX + plugin_asset_cls.plugin_name
    container = graph.get_collection(name)
    if container:
        if len(container) != 1:
            raise ValueError('Collection for %s had %d items, expected 1'
                             % (name, len(container)))
        instance = container[0]
        if not isinstance(instance, plugin_asset_cls):
            raise ValueError('Plugin name collision between classes %s and %s'
                             % (plugin_asset_cls.__name__, instance.__class__.__name__))
    else:
        instance = plugin_asset_cls()
        graph.add_to_collection(name, instance)
        graph.add_to_collection(_PLUGIN_ASSET_PREFIX, plugin_asset_cls.plugin_name)
    return instance


def get_all_plugin_assets(graph=None):
    """All assets of a graph."""
    if graph is None:
        graph = ops.get_default_graph()
    found = []
    for name in graph.get_collection(_PLUGIN_ASSET_PREFIX):
        collection = graph.get_collection(_PLUGIN_ASSET_PREFIX + name)
        if len(collection) != 1:
            raise ValueError('Collection for %s had %d items, expected 1'
                             % (name, len(collection)))
        found.append(collection[0])
    return found


class PluginAsset(metaclass=abc.ABCMeta):
    """Something that gives {file name: contents}; plugin_name says for which plugin."""

    plugin_name = None

    @abc.abstractmethod
    def assets(self):
        raise NotImplementedError()
