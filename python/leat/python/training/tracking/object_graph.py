# SPDX-License-Identifier: Apache-2.0
"""What objects are made of, by names: the graph that checkpoints of objects are keyed by.

Trackables say themselves what their parts are; of layers, optimizers, lists and dicts it is said
here."""
import collections

from leat.core.protobuf import trackable_object_graph_pb2
from leat.python.training.tracking import base

_ESCAPE = '.'
_ATTRIBUTES = _ESCAPE + 'ATTRIBUTES'
_SLOT = _ESCAPE + 'OPTIMIZER_SLOT'
_OF_LAYERS = frozenset(['_trainable_weights', '_non_trainable_weights', '_updates', '_losses',
                        '_callable_losses', '_metrics', '_initial_weights', '_input_spec',
                        '_call_fn_args', '_graph', '_scope', '_reuse', '_checkpoint_names'])


def _is_layer(obj):
    return hasattr(obj, '_trainable_weights') and hasattr(obj, 'add_weight')


def _is_optimizer(obj):
    return hasattr(obj, 'get_slot_names') and hasattr(obj, '_create_non_slot_variable')


def _has_values(obj):
    return hasattr(obj, '_gather_saveables_for_checkpoint')


def is_trackable(obj):
    """Whether checkpoints have a place for the object."""
    return (isinstance(obj, (base.Trackable, list, dict)) or _has_values(obj) or _is_layer(obj) or
            _is_optimizer(obj))


def _has_parts(obj):
    """Whether a list or dict holds something of which checkpoints have values, however deep."""
    if isinstance(obj, dict):
        return any(_has_parts(value) for value in obj.values())
    if isinstance(obj, (list, tuple)):
        return any(_has_parts(value) for value in obj)
    return is_trackable(obj)


def _layer_parts(layer):
    """Its variables by the names that add_weight was given, then its attributes."""
    if hasattr(layer, '_checkpoint_parts'):
        return layer._checkpoint_parts()
    parts = list(getattr(layer, '_checkpoint_names', {}).items())
    named = {id(part) for _, part in parts}
    for name, value in vars(layer).items():
        if name not in _OF_LAYERS and id(value) not in named and is_trackable(value) and (
                not isinstance(value, (list, dict)) or _has_parts(value)):
            parts.append((name, value))
    return parts


def _optimizer_parts(optimizer):
    from leat.python.framework import ops
    graph = ops.get_default_graph()
    return sorted(((name, v) for (name, of), v in optimizer._non_slot_dict.items()
                   if of is graph), key=lambda part: part[0])


def parts_of(obj):
    """[(name, part)], in a lasting order."""
    if isinstance(obj, base.Trackable):
        return [(r.name, r.ref) for r in obj._checkpoint_dependencies]
    if isinstance(obj, list):
        return [(str(i), value) for i, value in enumerate(obj) if is_trackable(value)]
    if isinstance(obj, dict):
        return [(name, value) for name, value in obj.items()
                if isinstance(name, str) and is_trackable(value)]
    if _is_layer(obj):
        return _layer_parts(obj)
    if _is_optimizer(obj):
        return _optimizer_parts(obj)
    return []


def values_of(obj):
    """{attribute: what saves it} of an object that has values of its own."""
    return obj._gather_saveables_for_checkpoint() if _has_values(obj) else {}


def _escaped(name):
    return name.replace(_ESCAPE, _ESCAPE * 2).replace('/', _ESCAPE + 'S')


class ObjectGraph(object):
    """All objects below a root: numbered breadth first, then the slots of optimizers."""

    def __init__(self, root):
        self.objects, self.ids, self.paths = [], {}, {}
        self.slots = collections.defaultdict(list)  # optimizer's id: [(variable, name, slot)]
        self._walk(root)
        self._find_slots()

    def _add(self, obj, path):
        self.ids[id(obj)] = len(self.objects)
        self.paths[id(obj)] = path
        self.objects.append(obj)

    def _walk(self, root):
        self._add(root, '')
        at = 0
        while at < len(self.objects):
            obj = self.objects[at]
            at += 1
            for name, part in parts_of(obj):
                if id(part) not in self.ids:
                    self._add(part, '/'.join(filter(None, [self.paths[id(obj)], _escaped(name)])))

    def _find_slots(self):
        found = list(self.objects)
        for optimizer in found:
            if not _is_optimizer(optimizer):
                continue
            for name in optimizer.get_slot_names():
                for variable in found:
                    slot = (optimizer.get_slot(variable, name)
                            if hasattr(variable, '_shared_name') else None)
                    if slot is None:
                        continue
                    if id(slot) not in self.ids:
                        self._add(slot, '/'.join([
                            self.paths[id(variable)], _SLOT, self.paths[id(optimizer)],
                            _escaped(name)]))
                    self.slots[id(optimizer)].append((variable, name, slot))

    def key(self, obj, attribute):
        """The name in the checkpoint of a value of an object."""
        path = self.paths[id(obj)]
        return '/'.join(filter(None, [path, _ATTRIBUTES, _escaped(attribute)]))

    def proto(self):
        """The message that a checkpoint has beside the values."""
        message = trackable_object_graph_pb2.TrackableObjectGraph()
        for obj in self.objects:
            node = message.nodes.add()
            for name, part in parts_of(obj):
                node.children.add(node_id=self.ids[id(part)], local_name=name)
            for attribute in values_of(obj):
                full_name = getattr(obj, '_shared_name', None) or getattr(obj, 'name', '') or ''
                node.attributes.add(name=attribute, checkpoint_key=self.key(obj, attribute),
                                    full_name=full_name if isinstance(full_name, str) else '')
            for variable, name, slot in self.slots.get(id(obj), ()):
                node.slot_variables.add(original_variable_node_id=self.ids[id(variable)],
                                        slot_name=name, slot_variable_node_id=self.ids[id(slot)])
        return message


def bind(message, root):
    """{node of a message: the object that it is of}, as far as the objects' names go."""
    bound, waiting = {0: root}, [0]
    while waiting:
        node_id = waiting.pop(0)
        parts = dict(parts_of(bound[node_id]))
        for child in message.nodes[node_id].children:
            if child.node_id not in bound and child.local_name in parts:
                bound[child.node_id] = parts[child.local_name]
                waiting.append(child.node_id)
    for node_id, optimizer in list(bound.items()):
        if not _is_optimizer(optimizer):
            continue
        for reference in message.nodes[node_id].slot_variables:
            variable = bound.get(reference.original_variable_node_id)
            slot = None if variable is None else optimizer.get_slot(variable, reference.slot_name)
            if slot is not None:
                bound[reference.slot_variable_node_id] = slot
    return bound
