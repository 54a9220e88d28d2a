# SPDX-License-Identifier: Apache-2.0
"""Cases of band and diagonal ops, of small ops left over, and of graphs of more than one op: control
flow. A graph is a function of TensorFlow and its inputs that gives the outputs."""
import numpy as np

from values import array, broadcast, is_real, pick, shape

INDEX = [np.int32, np.int64]
MOVED = [np.float32, np.float64, np.int32, np.int64, np.bool_, np.complex64, 'string']


def wide(t):
    return is_real(t) and t != np.float16


def diagonal(op, rng, types):
    t = pick(rng, types(op, 'T'))
    plain = op.replace('Batch', '')
    batch = shape(rng, rng.randint(0, 3))
    m, n = int(rng.randint(1, 6)), int(rng.randint(1, 6))
    # DIFFERENCES: the Batch names are deprecated
    if plain == 'MatrixDiag':
        return [('diagonal', array(rng, t, batch + (m,)))], {}, wide(t)
    x = array(rng, t, batch + (m, n))
    if plain == 'MatrixDiagPart':
        return [('input', x)], {}, wide(t)
    if plain == 'MatrixSetDiag':
        return [('input', x), ('diagonal', array(rng, t, batch + (min(m, n),)))], {}, wide(t)
    it = pick(rng, INDEX)
    low, high = rng.randint(-1, m + 1), rng.randint(-1, n + 1)
    return [('input', x), ('num_lower', np.array(low, it)), ('num_upper', np.array(high, it))], {}, wide(t)


def tensor_diagonal(op, rng, types):
    t = pick(rng, types(op, 'T'))
    half = shape(rng, rng.randint(1, 3), False)
    if op == 'Diag':
        return [('diagonal', array(rng, t, half))], {}, wide(t)
    return [('input', array(rng, t, half + half))], {}, wide(t)


def cross(op, rng, types):
    t = pick(rng, types(op, 'T'))
    s = shape(rng, rng.randint(0, 3)) + (3,)
    return [('a', array(rng, t, s)), ('b', array(rng, t, s))], {}, wide(t)


def accumulate(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32])
    s = shape(rng)
    return [('inputs', [array(rng, t, s) for _i in range(rng.randint(1, 4))])], {'shape': list(s)}, False


def approximate(op, rng, _):
    t = pick(rng, [np.float32, np.float64])
    x = array(rng, t, shape(rng))
    y = (x + array(rng, t, x.shape) * 0.1).astype(t)
    return [('x', x), ('y', y)], {'tolerance': 0.1}, False


def numerics(op, rng, types):
    t = pick(rng, types(op, 'T'))
    x = array(rng, t, shape(rng), special=rng.rand() < 0.3)
    return [('tensor', x)], {'message': 'seen'}, wide(t) and bool(np.isfinite(x).all())


def passing(op, rng, _):
    t = pick(rng, MOVED)
    x = array(rng, t, shape(rng))
    if op == 'IdentityN':
        return [('input', [x, array(rng, np.float32, shape(rng))])], {}, wide(t)
    if op == 'EnsureShape':
        s = [d if rng.rand() < 0.6 else None for d in x.shape]
        if rng.rand() < 0.1:
            s = s + [2]
        return [('input', x)], {'shape': s}, wide(t)
    if op == 'PlaceholderWithDefault':
        return [('input', x)], {'shape': list(x.shape)}, wide(t)
    return [('input', x)], {}, False if op in ('PreventGradient', 'GuaranteeConst') else wide(t)


def gradient_args(op, rng, _):
    t = pick(rng, INDEX)
    a, b = broadcast(rng)
    return [('s0', np.array(a, t)), ('s1', np.array(b, t))], {}, False


def concat_offset(op, rng, _):
    dims = np.array(shape(rng, rng.randint(1, 4)), np.int32)
    axis = rng.randint(0, len(dims))
    parts = []
    for _i in range(rng.randint(2, 4)):
        parts.append(dims.copy())
        parts[-1][axis] = rng.randint(0, 5)
    return [('concat_dim', np.int32(axis)), ('shape', parts)], {}, False


def strided_grad(op, rng, _):
    t, it = pick(rng, [np.float32, np.float64, np.int32]), pick(rng, INDEX)
    dims = shape(rng, rng.randint(1, 4), False)
    begin = [rng.randint(0, d) for d in dims]
    end = [rng.randint(b + 1, d + 1) for b, d in zip(begin, dims)]
    step = rng.randint(1, 3, size=len(dims))
    dy = array(rng, t, tuple(-(-(e - b) // s) for b, e, s in zip(begin, end, step)))
    return [('shape', np.array(dims, it)), ('begin', np.array(begin, it)), ('end', np.array(end, it)),
            ('strides', step.astype(it)), ('dy', dy)], {}, wide(t)


def mirror_grad(op, rng, types):
    t = pick(rng, types(op, 'T'))
    mode = pick(rng, ['REFLECT', 'SYMMETRIC'])
    inner = [int(d) for d in rng.randint(2, 5, size=rng.randint(1, 4))]
    most = [d if mode == 'SYMMETRIC' else d - 1 for d in inner]
    pads = np.array([[rng.randint(0, m + 1), rng.randint(0, m + 1)] for m in most])
    dy = array(rng, t, tuple(int(d + p.sum()) for d, p in zip(inner, pads)))
    return [('input', dy), ('paddings', pads.astype(pick(rng, INDEX)))], {'mode': mode}, wide(t)


def switch(op, rng, _):
    """Switch, Merge: what one side makes is what comes out, and which side it was."""
    t = pick(rng, [np.float32, np.float64])
    x = array(rng, t, shape(rng))

    def graph(tf, ins):
        off, on = tf.raw_ops.Switch(data=ins['x'], pred=ins['pred'])
        return list(tf.raw_ops.Merge(inputs=[tf.square(off) - off, tf.sin(on) * 2]))
    return [('x', x), ('pred', np.array(rng.rand() < 0.5))], {}, True, 1, {'graph': graph}


def loop(op, rng, _):
    """Enter, LoopCond, NextIteration, Exit: a while loop; sometimes one within another."""
    t = pick(rng, [np.float32, np.float64, np.int32])
    x = array(rng, t, shape(rng), -1, 1)
    times, nested = int(rng.randint(0, 5)), rng.rand() < 0.3

    def graph(tf, ins):
        def body(i, v):
            if nested:
                _, v = tf.while_loop(lambda j, _v: j < i, lambda j, w: (j + 1, w + w), [0, v])
            return i + 1, v * ins['y'] + ins['x']
        tf.compat.v1.disable_control_flow_v2()
        shapes = [tf.TensorShape([]), tf.TensorShape(None)]
        return list(tf.while_loop(lambda i, _v: i < ins['n'], body, [tf.constant(0), ins['x']], shapes))
    return [('x', x), ('y', array(rng, t, x.shape, -1, 1)), ('n', np.int32(times))], {}, False, 1, \
        {'graph': graph}


def checked(op, rng, _):
    """Assert, NoOp, ControlTrigger before an identity."""
    x = array(rng, np.float32, shape(rng))
    ok = np.array(rng.rand() < 0.7)

    def graph(tf, ins):
        if op == 'Assert':
            # DIFFERENCES: on the CPU its data is shown, and the message alone is not compared
            first = tf.raw_ops.Assert(condition=ins['ok'], data=[ins['x'], ins['ok']], summarize=2)
        else:
            first = getattr(tf.raw_ops, op)()
        with tf.control_dependencies([first]):
            return [tf.identity(ins['x']), tf.identity(ins['ok'])]
    return [('x', x), ('ok', ok)], {}, op != 'Assert', 1, {'graph': graph}


def referred(op, rng, _):
    """A reference variable: whether it is set, before and after, and what it holds."""
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64, np.complex64])
    x = array(rng, t, shape(rng))

    def graph(tf, ins):
        dtype = tf.as_dtype(t)
        kind = tf.raw_ops.Variable if op == 'Variable' else tf.raw_ops.VariableV2
        v = kind(shape=list(x.shape), dtype=dtype, shared_name='', container='')
        before = tf.raw_ops.IsVariableInitialized(ref=v)
        with tf.control_dependencies([before]):
            v = tf.raw_ops.Assign(ref=v, value=ins['x'])
        if op.startswith('Ref'):
            off, on = tf.raw_ops.RefSwitch(data=v, pred=ins['pred'])
            v, _side = tf.raw_ops.RefMerge(inputs=[off, on])
            v = tf.raw_ops.RefIdentity(input=v)
        after = tf.raw_ops.IsVariableInitialized(ref=v)
        return [before, after, tf.raw_ops.Identity(input=v)]
    return [('x', x), ('pred', np.array(rng.rand() < 0.5))], {}, False, 1, {'graph': graph}


def held(op, rng, _):
    """A resource variable: whether it is set, its shape and value, and its end."""
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64, np.bool_, np.complex64])
    x = array(rng, t, shape(rng))
    sizes = pick(rng, INDEX)

    def graph(tf, ins):
        dtype = tf.as_dtype(t)
        v = tf.raw_ops.VarHandleOp(dtype=dtype, shape=list(x.shape), shared_name='held', container='')
        before = tf.raw_ops.VarIsInitializedOp(resource=v)
        with tf.control_dependencies([before]):
            set_ = tf.raw_ops.AssignVariableOp(resource=v, value=ins['x'])
        with tf.control_dependencies([set_]):
            value = tf.raw_ops.ReadVariableOp(resource=v, dtype=dtype)
            size = tf.raw_ops.VariableShape(input=v, out_type=sizes)
        with tf.control_dependencies([value, size]):
            end = tf.raw_ops.DestroyResourceOp(resource=v, ignore_lookup_error=True)
        with tf.control_dependencies([end]):
            after = tf.raw_ops.VarIsInitializedOp(resource=v)
        return [before, value, size, after]
    return [('x', x)], {}, False, 1, {'graph': graph}


def temporary(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32])
    x = array(rng, t, shape(rng))

    def graph(tf, ins):
        v = tf.raw_ops.TemporaryVariable(shape=list(x.shape), dtype=tf.as_dtype(t), var_name='short')
        v = tf.raw_ops.Assign(ref=v, value=ins['x'])
        v = tf.raw_ops.AssignAdd(ref=v, value=ins['x'])
        return [tf.raw_ops.DestroyTemporaryVariable(ref=v, var_name='short')]
    return [('x', x)], {}, False, 1, {'graph': graph}


def slice_assign(op, rng, _):
    t, it = pick(rng, [np.float32, np.float64, np.int32]), pick(rng, INDEX)
    dims = shape(rng, rng.randint(1, 4), False)
    begin = [rng.randint(0, d) for d in dims]
    end = [rng.randint(b + 1, d + 1) for b, d in zip(begin, dims)]
    value = array(rng, t, tuple(e - b for b, e in zip(begin, end)))
    resource = op.startswith('Resource')
    return [('ref', array(rng, t, dims)), ('begin', np.array(begin, it)), ('end', np.array(end, it)),
            ('strides', np.ones(len(dims), it)), ('value', value)], {}, False, 2, \
        {'variables': ['ref'], 'resource': resource}


def empty(op, rng, types):
    t = pick(rng, [u for u in types(op, 'dtype') if u != 'string'])
    return [('shape', np.array(shape(rng), np.int32))], {'dtype': np.dtype(t).name, 'init': True}, False


def referred_loop(op, rng, _):
    """A loop whose variable is a reference: each turn adds to what it refers to."""
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    x, turns = array(rng, t, shape(rng), -2, 2), int(rng.randint(0, 5))

    def graph(tf, ins):
        raw, dtype = tf.raw_ops, tf.as_dtype(t)
        v = raw.VariableV2(shape=list(x.shape), dtype=dtype, shared_name='', container='')
        v = raw.Assign(ref=v, value=ins['x'])
        count, ref = raw.Enter(data=tf.constant(0), frame_name='turns'), raw.RefEnter(data=v, frame_name='turns')
        count, ref = raw.Merge(inputs=[count, count])[0], raw.RefMerge(inputs=[ref, ref])[0]
        with tf.control_dependencies([count]):
            most = tf.constant(turns)
        on = raw.LoopCond(input=tf.less(count, most))
        left, more = raw.Switch(data=count, pred=on)
        ref_left, ref_more = raw.RefSwitch(data=ref, pred=on)
        with tf.control_dependencies([more]):
            one, by = tf.constant(1), tf.constant(2, dtype)
        added = raw.AssignAdd(ref=ref_more, value=tf.identity(ref_more) * by)
        count.op._update_input(1, raw.NextIteration(data=more + one))
        ref.op._update_input(1, raw.RefNextIteration(data=added))
        return [raw.Exit(data=left), tf.identity(raw.RefExit(data=ref_left))]
    return [('x', x)], {}, False, 2, {'graph': graph}


def constant(op, rng, _):
    """Const: values of every type as TensorFlow writes them, long runs of one value too."""
    t = pick(rng, [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32,
                   np.int64, np.uint32, np.uint64, np.bool_, np.complex64, np.complex128, 'string'])
    x = array(rng, t, shape(rng), special=is_real(t) and rng.rand() < 0.5)
    if rng.rand() < 0.3 and x.size:
        x = np.full(x.shape, x.ravel()[0], x.dtype)

    def graph(tf, ins):
        if op == 'Placeholder':
            return [tf.identity(ins['x'])]
        whole = tf.constant(x)
        packed = tf.constant(x.ravel()[0], whole.dtype, x.shape) if x.size else whole
        return [whole, packed, tf.identity(whole)]
    return [('x', x)], {}, wide(t) and op == 'Placeholder' and bool(np.isfinite(x).all()), 1, {'graph': graph}


def copied(op, rng, _):
    return [('x', array(rng, pick(rng, MOVED), shape(rng)))], {}, False


def shown(op, rng, _):
    text = array(rng, 'string', ())

    def graph(tf, ins):
        with tf.control_dependencies([tf.raw_ops.PrintV2(input=ins['text'], output_stream='stderr')]):
            return [tf.identity(ins['text'])]
    return [('text', text)], {}, False, 1, {'graph': graph}


def printed(op, rng, _):
    x = array(rng, np.float32, shape(rng))
    return [('input', x), ('data', [x, array(rng, np.int32, shape(rng))])], \
        {'message': 'interop ', 'summarize': int(rng.randint(0, 4)), 'first_n': 0}, True


GENERATORS = {}
for _make, _names in (
        (diagonal, 'MatrixDiag MatrixDiagPart MatrixSetDiag MatrixBandPart'),
        (tensor_diagonal, 'Diag DiagPart'), (cross, 'Cross'), (accumulate, 'AccumulateNV2'),
        (approximate, 'ApproximateEqual'), (numerics, 'CheckNumerics'),
        (passing, 'IdentityN EnsureShape PlaceholderWithDefault PreventGradient GuaranteeConst'),
        (gradient_args, 'BroadcastGradientArgs'), (concat_offset, 'ConcatOffset'),
        (strided_grad, 'StridedSliceGrad'), (mirror_grad, 'MirrorPadGrad'),
        (switch, 'Switch Merge'), (loop, 'Enter Exit NextIteration LoopCond'),
        (referred, 'Variable VariableV2 IsVariableInitialized RefSwitch RefMerge RefIdentity'),
        (held, 'VarHandleOp VarIsInitializedOp ReadVariableOp VariableShape DestroyResourceOp'),
        (temporary, 'TemporaryVariable DestroyTemporaryVariable'), (empty, 'Empty'),
        (slice_assign, 'StridedSliceAssign ResourceStridedSliceAssign'),
        (referred_loop, 'RefEnter RefExit RefNextIteration'), (constant, 'Const Placeholder'),
        (copied, 'DeepCopy'), (shown, 'PrintV2'),
        (checked, 'Assert NoOp ControlTrigger'), (printed, 'Print')):
    for _name in _names.split():
        GENERATORS[_name] = _make
