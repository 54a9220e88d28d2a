# SPDX-License-Identifier: Apache-2.0
"""Cases of ops on variables: optimizers and scatters, by reference and by resource, in two steps."""
import numpy as np

from values import array, kind, pick, shape

INDEX = [np.int32, np.int64]
STEPS = 2
HYPER = {'lr': (0.05, 0.5), 'alpha': (0.05, 0.5), 'momentum': (0.5, 0.95), 'rho': (0.5, 0.95),
         'epsilon': (0.01, 0.1), 'beta1': (0.8, 0.95), 'beta2': (0.9, 0.99), 'beta': (0.8, 0.95),
         'beta1_power': (0.3, 0.8), 'beta2_power': (0.3, 0.8), 'l1': (0.0, 0.4), 'l2': (0.0, 0.4),
         'l2_shrinkage': (0.0, 0.4), 'lr_power': (-0.8, -0.2), 'logbase': (0.5, 2.0),
         'sign_decay': (0.1, 1.0)}
# what stands behind var, and the other inputs
OPTIMIZERS = {
    'GradientDescent': ('', 'alpha delta'), 'Momentum': ('accum', 'lr grad momentum'),
    'Adam': ('m v', 'beta1_power beta2_power lr beta1 beta2 epsilon grad'),
    'Adagrad': ('accum', 'lr grad'), 'AdagradV2': ('accum', 'lr epsilon grad'),
    'RMSProp': ('ms mom', 'lr rho momentum epsilon grad'),
    'CenteredRMSProp': ('mg ms mom', 'lr rho momentum epsilon grad'),
    'Ftrl': ('accum linear', 'grad lr l1 l2 lr_power'),
    'FtrlV2': ('accum linear', 'grad lr l1 l2 l2_shrinkage lr_power'),
    'Adadelta': ('accum accum_update', 'lr rho epsilon grad'),
    'AdaMax': ('m v', 'beta1_power lr beta1 beta2 epsilon grad'),
    'AdamWithAmsgrad': ('m v vhat', 'beta1_power beta2_power lr beta1 beta2 epsilon grad'),
    'AddSign': ('m', 'lr alpha sign_decay beta grad'),
    'PowerSign': ('m', 'lr logbase sign_decay beta grad'),
    'KerasMomentum': ('accum', 'lr grad momentum'),
    'ProximalGradientDescent': ('', 'alpha l1 l2 delta'),
    'ProximalAdagrad': ('accum', 'lr l1 l2 grad'),
    'AdagradDA': ('gradient_accumulator gradient_squared_accumulator', 'grad lr l1 l2 global_step'),
}
RESOURCE_ONLY = ['AdamWithAmsgrad', 'KerasMomentum']
ROWS = '''Momentum Adagrad AdagradV2 RMSProp CenteredRMSProp Ftrl FtrlV2 Adadelta KerasMomentum
    ProximalGradientDescent ProximalAdagrad AdagradDA'''.split()


def optimizer(op, rng, types):
    family = op[op.index('Apply') + 5:]
    slots, rest = OPTIMIZERS[family]
    rows = 'SparseApply' in op
    t = pick(rng, [u for u in types(op, 'T') if kind(u) == 'f'])
    # DIFFERENCES: half is rounded once a step
    t = np.float32 if t == np.float16 else t
    s = shape(rng, rng.randint(1 if rows else 0, 4))
    indices = rng.randint(0, max(s[0], 1), size=rng.randint(0, 6) if s[0] else 0) if rows else None
    variables = ['var'] + slots.split()
    inputs = [(v, array(rng, t, s, 0.1 if v != 'var' else -2, 2)) for v in variables]
    if family == 'CenteredRMSProp':
        inputs[1] = ('mg', array(rng, t, s, -0.1, 0.1))     # below the root of ms
    for name in rest.split():
        if name in ('grad', 'delta'):
            name = 'grad' if rows else name
            inputs.append((name, array(rng, t, (len(indices),) + s[1:] if rows else s)))
        elif name == 'global_step':
            inputs.append((name, np.int64(rng.randint(1, 9))))
        else:
            value = 0.0 if name in ('l1', 'l2') and rng.rand() < 0.3 else rng.uniform(*HYPER[name])
            inputs.append((name, t(-0.5 if name == 'lr_power' and rng.rand() < 0.5 else value)))
    if rows:
        inputs.append(('indices', indices.astype(pick(rng, INDEX))))
    attrs = {'use_locking': bool(rng.randint(2))}
    if family in ('Momentum', 'KerasMomentum', 'Adam'):
        attrs['use_nesterov'] = bool(rng.randint(2))
    if family in ('Adagrad', 'AdagradV2'):
        attrs['update_slots'] = bool(rng.randint(2))
    return inputs, attrs, False, STEPS, {'variables': variables, 'resource': op.startswith('Resource')}


def variable_case(op, name, value, more, attrs=None, steps=STEPS):
    return [(name, value)] + more, attrs or {}, False, steps, \
        {'variables': [name], 'resource': 'Resource' in op or 'VariableOp' in op}


def values_of(rng, t, dims):
    """What no product or quotient takes out of its type, and no 0."""
    x = array(rng, t, dims, 0.5, 2)
    return np.where(x == 0, np.array(1, t), x).astype(t) if kind(t) not in 'Sb' else x


def scatter(op, rng, types):
    resource = op.startswith('Resource')
    attr = 'dtype' if resource else 'T'
    t = pick(rng, types(op, attr) or [np.float32, np.int64])
    s = shape(rng, rng.randint(1, 4), False)
    dims = shape(rng, rng.randint(0, 3))
    indices = np.asarray(rng.randint(0, s[0], size=dims), pick(rng, INDEX))
    alone = rng.rand() < 0.2 and t != 'string'
    updates = values_of(rng, t, () if alone else dims + s[1:])
    return variable_case(op, 'resource' if resource else 'ref', values_of(rng, t, s),
                         [('indices', indices), ('updates', updates)])


def scatter_nd(op, rng, types):
    t = pick(rng, types(op, 'T') or [np.float32, np.int64])
    s = shape(rng, rng.randint(1, 4), False)
    depth = rng.randint(1, len(s) + 1)
    count = shape(rng, rng.randint(1, 3))
    indices = np.stack([rng.randint(0, d, size=count) for d in s[:depth]], -1)
    updates = values_of(rng, t, count + s[depth:])
    more = [('indices', indices.astype(pick(rng, INDEX))), ('updates', updates)]
    if op == 'ScatterNdNonAliasingAdd':
        return [('input', values_of(rng, t, s))] + more, {}, t == np.float64
    return variable_case(op, 'ref', values_of(rng, t, s), more)


def resource_gather(op, rng, types):
    t = pick(rng, [np.float32, np.int64, np.bool_, 'string', np.complex128])
    s = shape(rng, rng.randint(1, 4), False)
    if op == 'ResourceGatherNd':
        depth, count = rng.randint(0, len(s) + 1), shape(rng, rng.randint(0, 3))
        indices = np.stack([rng.randint(0, d, size=count) for d in s[:depth]], -1) if depth else \
            np.zeros(count + (0,))
    else:
        indices = rng.randint(0, s[0], size=shape(rng, rng.randint(0, 3)))
    return variable_case(op, 'resource', array(rng, t, s),
                         [('indices', np.asarray(indices, pick(rng, INDEX)))],
                         {'dtype': 'string' if t == 'string' else t})


def assign(op, rng, types):
    resource = 'VariableOp' in op
    t = pick(rng, types(op, 'dtype' if resource else 'T') or [np.float32, np.int64, np.bool_])
    s = shape(rng)
    return variable_case(op, 'resource' if resource else 'ref', array(rng, t, s),
                         [('value', array(rng, t, s))])


def count_up_to(op, rng, _):
    t, limit = pick(rng, INDEX), int(rng.randint(0, 9))
    start = t(rng.randint(0, limit + 1))
    attrs = {'limit': limit}
    if op == 'ResourceCountUpTo':
        attrs['T'] = t
    return variable_case(op, 'resource' if op[0] == 'R' else 'ref', np.asarray(start), [], attrs, 1)


GENERATORS = {'CountUpTo': count_up_to, 'ResourceCountUpTo': count_up_to,
              'ScatterNdNonAliasingAdd': scatter_nd}
for name in OPTIMIZERS:
    GENERATORS['ResourceApply' + name] = optimizer
    if name not in RESOURCE_ONLY:
        GENERATORS['Apply' + name] = optimizer
    if name in ROWS:
        GENERATORS['ResourceSparseApply' + name] = optimizer
        if name not in RESOURCE_ONLY:
            GENERATORS['SparseApply' + name] = optimizer
for name in 'Add Sub Mul Div Min Max Update'.split():
    GENERATORS['Scatter' + name] = GENERATORS['ResourceScatter' + name] = scatter
for name in 'Add Sub Update'.split():
    GENERATORS['ScatterNd' + name] = GENERATORS['ResourceScatterNd' + name] = scatter_nd
for name in ('ResourceGather', 'ResourceGatherNd'):
    GENERATORS[name] = resource_gather
for name in 'Assign AssignAdd AssignSub AssignVariableOp AssignAddVariableOp AssignSubVariableOp'.split():
    GENERATORS[name] = assign
