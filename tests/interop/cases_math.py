# SPDX-License-Identifier: Apache-2.0
"""Cases of the elementwise ops, and of products and reductions."""
import numpy as np

from values import array, broadcast, is_real, kind, pick, shape

RANGES = {'Asin': (-0.9, 0.9), 'Acos': (-0.9, 0.9), 'Atanh': (-0.9, 0.9), 'Acosh': (1.1, 4),
          'Log': (0.1, 5), 'Sqrt': (0.1, 5), 'Rsqrt': (0.1, 5), 'Log1p': (-0.9, 5),
          'Lgamma': (0.1, 9), 'Digamma': (0.1, 9), 'BesselI0e': (-9, 9), 'BesselI1e': (0.1, 9),
          'Reciprocal': (0.5, 4), 'Inv': (0.5, 4),
          'Tan': (-1.2, 1.2), 'Pow': (0.2, 3), 'Xlogy': (0.1, 4), 'Xdivy': (0.5, 4),
          'Polygamma': (1, 4), 'Zeta': (1.5, 5), 'Igamma': (0.1, 9), 'Igammac': (0.1, 9),
          'IgammaGradA': (0.1, 9), 'RandomGammaGrad': (0.1, 9)}
UNARY = '''Neg Abs Sign Square Sqrt Rsqrt Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh
    Asinh Acosh Atanh Tanh Sigmoid Floor Ceil Round Rint Reciprocal Inv IsNan IsInf IsFinite Erf Erfc
    Lgamma Digamma BesselI0e BesselI1e Invert PopulationCount'''.split()
NN_UNARY = 'Relu Relu6 Elu Selu Softplus Softsign'.split()
BINARY = '''Add AddV2 Sub Mul Div RealDiv FloorDiv FloorMod Mod TruncateDiv TruncateMod Pow Maximum
    Minimum SquaredDifference Greater GreaterEqual Less LessEqual Equal NotEqual DivNoNan MulNoNan
    Xdivy Xlogy Atan2 BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift Zeta Polygamma
    Igamma Igammac IgammaGradA RandomGammaGrad NextAfter'''.split()
DIVISIONS = 'Div RealDiv FloorDiv FloorMod Mod TruncateDiv TruncateMod DivNoNan Xdivy'.split()
ONCE = {'Zeta', 'Polygamma', 'IgammaGradA', 'RandomGammaGrad'}
NO_SPECIALS = {'Sqrt', 'Rsqrt'}     # DIFFERENCES: infinity in float32
GRADS = 'SqrtGrad RsqrtGrad TanhGrad SigmoidGrad ReciprocalGrad InvGrad'.split()
REDUCTIONS = 'Sum Mean Prod Max Min All Any'.split()
COMPLEX_OF = {np.float32: np.complex64, np.float64: np.complex128}


def unary(op, rng, types):
    t = pick(rng, types(op, 'T'))
    low, high = RANGES.get(op, (-3, 3))
    special = is_real(t) and op not in NO_SPECIALS and rng.rand() < 0.25
    arg = 'features' if op in NN_UNARY else 'x'
    x = array(rng, t, shape(rng), low, high, special)
    return [(arg, x)], {}, is_real(t) and not special


def binary(op, rng, types):
    t = pick(rng, types(op, 'T'))
    low, high = RANGES.get(op, (-3, 3))
    special = is_real(t) and op not in NO_SPECIALS and rng.rand() < 0.25
    a, b = broadcast(rng)
    x, y = array(rng, t, a, low, high, special), array(rng, t, b, low, high, special)
    if kind(t) in 'iu' and op in DIVISIONS:
        y = np.where(y == 0, 3, y).astype(t)    # the other way is an error that other tests look at
    if kind(t) in 'iu' and op == 'Pow':
        y = np.asarray(np.abs(y) % 5, t)
    if kind(t) in 'iu' and op in ('LeftShift', 'RightShift'):
        y = np.asarray(np.abs(y) % 8, t)
    if kind(t) in 'fc' and op in DIVISIONS and not special:
        y = np.where(np.abs(y) < 0.3, 1.5, y).astype(t)  # DIFFERENCES: complex operands over 0
    if op == 'Polygamma':
        x = np.asarray(np.ceil(x), t)
    if op in ('Polygamma', 'Zeta') and t == np.float32:
        y = np.asarray(np.abs(y), t)    # DIFFERENCES: what cancels in float
    names = {'Zeta': ('x', 'q'), 'Polygamma': ('a', 'x'), 'Igamma': ('a', 'x'), 'Igammac': ('a', 'x'),
             'IgammaGradA': ('a', 'x'), 'RandomGammaGrad': ('alpha', 'sample'),
             'NextAfter': ('x1', 'x2')}.get(op, ('x', 'y'))
    # DIFFERENCES: half rounds after other steps in second gradients
    gradient = t in (np.float32, np.float64) and not special and op not in ONCE
    if op == 'Atan2' and a != b:
        gradient = False        # DIFFERENCES: TensorFlow's has the wrong shape
    return list(zip(names, (x, y))), {}, gradient, 1, {'once': op in ('Igamma', 'Igammac')}


def betainc(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = shape(rng)
    a, b = (array(rng, t, pick(rng, [dims, ()]), 0.1, 9) for _ in range(2))
    x = array(rng, t, pick(rng, [dims, dims, ()]), 0.01, 0.99)
    if rng.rand() < 0.1:
        x = array(rng, t, dims, -3, 3, True)
        return [('a', a), ('b', b), ('x', x)], {}, False
    return [('a', a), ('b', b), ('x', x)], {}, a.shape == b.shape and x.shape == a.shape


def logical(op, rng, _):
    if op == 'LogicalNot':
        return [('x', array(rng, np.bool_, shape(rng)))], {}, False
    a, b = broadcast(rng)
    return [('x', array(rng, np.bool_, a)), ('y', array(rng, np.bool_, b))], {}, False


def grad_pair(op, rng, types):
    t = pick(rng, types(op, 'T'))
    s = shape(rng)      # DIFFERENCES: two shapes
    y = array(rng, t, s, 0.3, 2)
    return [('y', y), ('dy', array(rng, t, s))], {}, is_real(t)


def cast(op, rng, _):
    kinds = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32,
             np.int64, np.bool_, np.complex64, np.complex128]
    a, b = pick(rng, kinds), pick(rng, kinds)
    low = 0 if kind(b) == 'u' else -3
    x = array(rng, a, shape(rng), low, 3)
    real = (np.float32, np.float64)
    return [('x', x)], {'DstT': b}, a in real and b in real


def select(op, rng, types):
    t = pick(rng, types('Select', 'T'))
    s = shape(rng)
    cond = s
    if rng.rand() < 0.3:
        cond = ()
    elif rng.rand() < 0.4 and s and op == 'Select':
        cond = s[:1]
    names = ('x', 'y') if op == 'Select' else ('t', 'e')
    return [('condition', array(rng, np.bool_, cond)), (names[0], array(rng, t, s)),
            (names[1], array(rng, t, s))], {}, is_real(t)


def clip(op, rng, types):
    t = pick(rng, [t for t in types(op, 'T') if kind(t) != 'c'])
    s = shape(rng)
    low, high = ((), s)[rng.randint(2)], ((), s)[rng.randint(2)]
    return [('t', array(rng, t, s)), ('clip_value_min', array(rng, t, low, -2, 0)),
            ('clip_value_max', array(rng, t, high, 0.5, 2))], {}, is_real(t)


def add_n(op, rng, types):
    t = pick(rng, types(op, 'T'))
    s = shape(rng)
    return [('inputs', [array(rng, t, s) for _ in range(rng.randint(1, 12))])], {}, is_real(t)


def complex_of(op, rng, _):
    t = pick(rng, [np.float32, np.float64])
    a, b = broadcast(rng)
    return [('real', array(rng, t, a)), ('imag', array(rng, t, b))], {'Tout': COMPLEX_OF[t]}, False


def of_complex(op, rng, _):
    t = pick(rng, [np.float32, np.float64])
    x = array(rng, COMPLEX_OF[t], shape(rng))
    return [('x' if op == 'ComplexAbs' else 'input', x)], {} if op == 'Conj' else {'Tout': t}, True


def matmul(op, rng, types):
    t = pick(rng, types(op, 'T'))
    m, k, n = (int(d) for d in rng.randint(0 if rng.rand() < 0.14 else 1, 9, size=3))
    ta, tb = bool(rng.randint(2)), bool(rng.randint(2))
    names = ('transpose_a', 'transpose_b')
    args, batch = ('a', 'b'), ()
    if op != 'MatMul':
        names, args, batch = ('adj_x', 'adj_y'), ('x', 'y'), shape(rng, rng.randint(0, 3))
    a = array(rng, t, batch + ((k, m) if ta else (m, k)))
    b = array(rng, t, batch + ((n, k) if tb else (k, n)))
    return [(args[0], a), (args[1], b)], {names[0]: ta, names[1]: tb}, t in (np.float32, np.float64)


def reduction(op, rng, types):
    t = np.bool_ if op in ('All', 'Any') else pick(rng, types(op, 'T'))
    s = shape(rng)
    axes = [d - (len(s) if rng.rand() < 0.5 else 0) for d in range(len(s)) if rng.rand() < 0.5]
    x = array(rng, t, s, 0.3, 2)
    gradient = t in (np.float32, np.float64) and x.size > 0
    it = pick(rng, [np.int32, np.int64])
    return [('input', x), ('axis', np.array(axes, it))], {'keep_dims': bool(rng.randint(2))}, gradient


GENERATORS = {}
for names, make in ((UNARY + NN_UNARY, unary), (BINARY, binary), (GRADS, grad_pair),
                    ('LogicalAnd LogicalOr LogicalNot'.split(), logical), (['Cast'], cast), (['Betainc'], betainc),
                    (['Select', 'SelectV2'], select), (['ClipByValue'], clip), (['AddN'], add_n),
                    (['Complex'], complex_of), ('Real Imag Angle ComplexAbs Conj'.split(), of_complex),
                    ('MatMul BatchMatMul BatchMatMulV2'.split(), matmul), (REDUCTIONS, reduction)):
    GENERATORS.update((name, make) for name in names)
