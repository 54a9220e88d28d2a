# SPDX-License-Identifier: Apache-2.0
"""Names of layers, the call that is under way, what depends on a layer's inputs."""
import collections
import re
import threading
import weakref

from leat.python.framework import ops
from leat.python.ops import variables

_name_uids = weakref.WeakKeyDictionary()


def get_default_graph_uid_map():
    """{(namespace, name): last number given} of the default graph."""
    graph = ops.get_default_graph()
    if graph not in _name_uids:
        _name_uids[graph] = collections.defaultdict(int)
    return _name_uids[graph]


def to_snake_case(name):
    """MaxPooling2D is max_pooling2d."""
    words = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    snake = re.sub('([a-z])([A-Z])', r'\1_\2', words).lower()
    return 'private' + snake if snake[0] == '_' else snake


def unique_layer_name(name, name_uid_map=None, avoid_names=None, namespace='', zero_based=False):
    """name, or name_1, name_2...: the first that was not given nor is to be avoided."""
    if name_uid_map is None:
        name_uid_map = get_default_graph_uid_map()
    avoid_names = avoid_names or ()
    key = (namespace, name)
    while True:
        if zero_based and not name_uid_map[key]:
            number, proposed = 1, name
        else:
            number, proposed = name_uid_map[key] + 1, None
        if zero_based:
            proposed = proposed or '%s_%d' % (name, name_uid_map[key])
        else:
            proposed = '%s_%d' % (name, number)
        name_uid_map[key] = number
        if proposed not in avoid_names:
            return proposed


class CallContext(threading.local):
    """The layer whose call() runs in this thread, its inputs and whether it trains."""

    def __init__(self):
        super(CallContext, self).__init__()
        self.layer = None
        self.inputs = None
        self.training = None
        self.in_call = False


_call_context = CallContext()


def call_context():
    return _call_context


class entered(object):
    """While the block runs, this is the call under way."""

    def __init__(self, layer, inputs, training):
        self._new = (layer, inputs, training, True)
        self._old = None

    def __enter__(self):
        c = _call_context
        self._old = (c.layer, c.inputs, c.training, c.in_call)
        c.layer, c.inputs, c.training, c.in_call = self._new

    def __exit__(self, *args):
        c = _call_context
        c.layer, c.inputs, c.training, c.in_call = self._old


def get_reachable_from_inputs(inputs, targets=None):
    """The set of ids of what is computed from inputs; stops when all the targets are found."""
    reachable = {id(x) for x in inputs}
    wanted = {id(t) for t in targets} if targets else None
    queue = collections.deque(inputs)
    while queue:
        x = queue.popleft()
        if isinstance(x, ops.Operation):
            found = x.outputs
        elif isinstance(x, variables.Variable):
            found = [x.op]
        elif isinstance(x, ops.Tensor):
            found = x.consumers()
        else:
            continue
        for y in found:
            if id(y) not in reachable:
                reachable.add(id(y))
                if wanted:
                    wanted.discard(id(y))
                queue.append(y)
        if targets and not wanted:
            break
    return reachable
