# SPDX-License-Identifier: Apache-2.0
"""Cases of ops on strings, and of ops that count, quantize or pack numbers. Lookup tables and queues
come as graphs: what one holds after a run is there in the next."""
import numpy as np

from values import array, is_real, pick, shape

INDEX = [np.int32, np.int64]
PIECES = [b'', b'a', b'B', b' ', b',', b',,', b'ab', b'1', b'-2.5', b'\t', b'\n', b'\xc3\xa9', b'\xe2\x82\xac',
          b'\xf0\x9f\x98\x80', b'Zz']
BAD = [b'\xff', b'\xc3', b'\x00']


def texts(rng, dims, pieces=None, most=6):
    """Strings joined of pieces."""
    pieces = pieces or PIECES
    out = np.empty(int(np.prod(dims)), object)
    out[:] = [b''.join(pick(rng, pieces) for _i in range(rng.randint(0, most))) for _j in range(out.size)]
    return out.reshape(dims)


def text(value):
    return np.array(value, object)


def plain(op, rng, _):
    name = 'string_tensor' if op == 'StringToHashBucket' else 'input'
    attrs = {}
    pieces = PIECES + BAD if rng.rand() < 0.3 and op in ('StringStrip', 'EncodeBase64') else PIECES
    if 'Hash' in op:
        attrs['num_buckets'] = int(pick(rng, [1, 7, 1000, 2 ** 40]))
    if op == 'StringToHashBucketStrong':
        attrs['key'] = [int(k) for k in rng.randint(0, 2 ** 31, size=2)]
    if op == 'StringLength':
        attrs['unit'] = pick(rng, ['BYTE', 'UTF8_CHAR'])
    if op in ('StringLower', 'StringUpper'):
        attrs['encoding'] = pick(rng, ['', 'utf-8'])
        pieces = [p for p in PIECES if max(bytearray(p) or [0]) < 128]
    if op == 'EncodeBase64':
        attrs['pad'] = bool(rng.randint(2))
    return [(name, texts(rng, shape(rng), pieces))], attrs, False


def decode_base64(op, rng, _):
    good = [b'', b'YQ', b'YQ==', b'_-8', b'YWJj', b'YWJjZA']
    return [('input', texts(rng, shape(rng), good + ([b'Y', b'*'] if rng.rand() < 0.2 else []), 2))], {}, False


def as_string(op, rng, _):
    t = pick(rng, [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64, np.bool_, np.complex64])
    attrs = {}
    if rng.rand() < 0.4:
        attrs['width'] = int(rng.randint(0, 12))
        attrs['fill'] = pick(rng, ['', ' ', '0'])
    if t in (np.float32, np.float64, np.complex64):
        attrs.update(pick(rng, [{}, {'scientific': True}, {'shortest': True}, {'precision': int(rng.randint(0, 9))}]))
    return [('input', array(rng, t, shape(rng), special=is_real(t)))], attrs, False


def string_format(op, rng, _):
    kinds = [np.int32, np.float32, np.bool_, np.int64, 'string']
    values = [array(rng, pick(rng, kinds), shape(rng, rng.randint(0, 3))) for _i in range(rng.randint(1, 4))]
    return [('inputs', values)], {'template': 'x' + ' %s,' * len(values) + ' y', 'placeholder': '%s',
                                  'summarize': int(rng.randint(-1, 5))}, False


def string_join(op, rng, _):
    s = shape(rng)
    dims = [s if rng.rand() < 0.8 else () for _i in range(rng.randint(1, 4))]
    return [('inputs', [texts(rng, d) for d in dims])], {'separator': pick(rng, ['', '-', ', '])}, False


def string_split(op, rng, _):
    x = texts(rng, (int(rng.randint(0, 5)),))
    if op == 'StringSplit':
        return [('input', x), ('delimiter', text(pick(rng, [b'', b',', b' ', b', ', b'ab'])))], \
            {'skip_empty': bool(rng.randint(2))}, False
    return [('input', x), ('sep', text(pick(rng, [b'', b',', b' ', b',,', b'ab'])))], \
        {'maxsplit': int(rng.randint(-1, 3))}, False


def splits_of(rng, t, n):
    """Where the rows of n values begin and end."""
    inner = np.sort(rng.randint(0, n + 1, size=rng.randint(0, 4)))
    return np.concatenate([[0], inner, [n]]).astype(t)


def ngrams(op, rng, _):
    data = texts(rng, (int(rng.randint(1, 8)),))
    pad = int(rng.randint(-1, 3)) if len(data) else 0
    splits = splits_of(rng, pick(rng, INDEX), len(data))
    splits = splits if pad == 0 else np.unique(splits)      # DIFFERENCES: padding of rows of nothing
    return [('data', data), ('data_splits', splits)], \
        {'separator': pick(rng, ['', '|']), 'ngram_widths': [int(n) for n in rng.randint(1, 5, size=rng.randint(pad < 0, 3))],
         'left_pad': pick(rng, ['', 'L']), 'right_pad': pick(rng, ['', 'RR']), 'pad_width': pad,
         'preserve_short_sequences': bool(rng.randint(2))}, False


def to_number(op, rng, _):
    pieces = [b'0', b'-7', b'12345', b'+3', b' 8 '] + ([b'x', b''] if rng.rand() < 0.1 else [])
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    if is_real(t):
        pieces += [b'1e3', b'-2.5', b'nan', b'inf', b'.5', b'1e-40']
    return [('string_tensor', pick_all(rng, pieces, shape(rng)))], {'out_type': t}, False


def pick_all(rng, pieces, dims):
    out = np.empty(int(np.prod(dims)), object)
    out[:] = [pick(rng, pieces) for _i in range(out.size)]
    return out.reshape(dims)


def unicode_in(op, rng, _):
    attrs = {'input_encoding': 'UTF-8', 'errors': pick(rng, ['replace', 'ignore', 'strict']),
             'replace_control_characters': bool(rng.randint(2))}
    if op == 'UnicodeTranscode':
        attrs['output_encoding'] = pick(rng, ['UTF-8', 'UTF-16-BE', 'UTF-32-BE'])
    else:
        # DIFFERENCES: offsets with splits of int32
        attrs['Tsplits'] = np.int64 if op.endswith('Offsets') else pick(rng, INDEX)
    dims = shape(rng) if op == 'UnicodeTranscode' else (int(rng.randint(0, 5)),)
    return [('input', texts(rng, dims, PIECES + (BAD[:1] if rng.rand() < 0.3 else [])))], attrs, False


def unicode_encode(op, rng, _):
    points = [97, 233, 8364, 128512, 10] + ([0xd800, 0x110000] if rng.rand() < 0.2 else [])
    values = np.array([pick(rng, points) for _i in range(rng.randint(0, 8))], np.int32)
    return [('input_values', values), ('input_splits', splits_of(rng, pick(rng, INDEX), len(values)))], \
        {'errors': pick(rng, ['replace', 'ignore', 'strict']),
         'output_encoding': pick(rng, ['UTF-8', 'UTF-16-BE', 'UTF-32-BE'])}, False


def segment_join(op, rng, _):
    s = shape(rng, rng.randint(1, 3))
    n = int(rng.randint(1, 5))
    return [('inputs', texts(rng, s)), ('segment_ids', rng.randint(0, n, size=s).astype(pick(rng, INDEX))),
            ('num_segments', np.array(n, pick(rng, INDEX)))], {'separator': pick(rng, ['', ', '])}, False


def decode_raw(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32, np.uint16, np.uint8, np.int16, np.int8, np.int64])
    size = np.dtype(t).itemsize * int(rng.randint(0, 4)) + (1 if rng.rand() < 0.1 else 0)
    x = np.empty(int(rng.randint(1, 4)), object)
    x[:] = [bytes(bytearray(rng.randint(0, 64, size=size).astype(np.uint8))) for _i in range(len(x))]
    return [('bytes', x)], {'out_type': t, 'little_endian': bool(rng.randint(2))}, False


def decode_csv(op, rng, _):
    n = int(rng.randint(1, 5))
    defaults = [pick(rng, [np.zeros([1], np.int32), np.full([1], 2.5, np.float32), np.array([b'd'], object)])
                for _i in range(n)]
    fields = [b'1', b'-2', b'7', b'"3"', b''] if rng.rand() < 0.9 else [b'x', b'1"', b'1,']
    rows = np.empty(int(rng.randint(0, 5)), object)
    rows[:] = [b','.join(pick(rng, fields) for _i in range(n)) for _j in range(len(rows))]
    return [('records', rows), ('record_defaults', defaults)], {}, False


def regex(op, rng, _):
    pattern = pick(rng, [b'a', b'[a-z]+', b'(.)b', b'', b'^a|B$', b'\\d+', b'(a)(b)?'])
    x = texts(rng, shape(rng), [p for p in PIECES if max(bytearray(p) or [0]) < 128])
    attrs = {'replace_global': bool(rng.randint(2))} if op.endswith('Replace') else {}
    if op.startswith('Static'):
        attrs['pattern'] = pattern.decode()
        if op.endswith('Replace'):
            attrs['rewrite'] = '<\\0>'
        return [('input', x)], attrs, False
    more = [('rewrite', text(b'<\\0>'))] if op.endswith('Replace') else []
    return [('input', x), ('pattern', text(pattern))] + more, attrs, False


def fake_quant(op, rng, _):
    s = shape(rng, rng.randint(1, 5) if 'Channel' in op else None)
    grad = op.endswith('Gradient')
    low, high = rng.uniform(-3, -0.1), rng.uniform(0.1, 3)
    if rng.rand() < 0.2:
        low, high = pick(rng, [(0.0, 2.0), (0.5, 2.0), (-2.0, -0.5), (0.0, 0.0)])
    attrs = {'num_bits': int(rng.randint(2, 17)), 'narrow_range': bool(rng.randint(2))}
    inputs = [('gradients', array(rng, np.float32, s))] if grad else []
    inputs.append(('inputs', array(rng, np.float32, s)))
    if 'Args' in op:
        attrs.update({'min': float(low), 'max': float(high)})
    else:
        d = s[-1:] if 'Channel' in op else ()
        inputs += [('min', np.full(d, low, np.float32)), ('max', np.full(d, high, np.float32))]
    return inputs, attrs, not grad, 1, {'once': True}


def bucketize(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    edges = sorted(float(np.float32(e)) for e in rng.uniform(-3, 3, size=rng.randint(0, 6)))
    if rng.rand() < 0.1:
        edges = edges[::-1]
    return [('input', array(rng, t, shape(rng)))], {'boundaries': edges}, False


def histogram(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.int32, np.int64])
    ends = [-2, 2] if rng.rand() < 0.9 else [2, -2]
    return [('values', array(rng, t, shape(rng))), ('value_range', np.array(ends, t)),
            ('nbins', np.int32(rng.randint(0 if rng.rand() < 0.1 else 1, 9)))], {'dtype': pick(rng, INDEX)}, False


def bitpack(op, rng, _):
    t = pick(rng, [np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64, np.bool_])
    width = 8 * int(rng.randint(0, 4)) + (3 if rng.rand() < 0.1 else 0)
    return [('input', array(rng, t, shape(rng, rng.randint(0, 3)) + (width,))),
            ('threshold', array(rng, t, ()))], {}, False


def table(op, rng, _):
    """A table of either kind: what is put in now is found in the next run too."""
    kt, vt = pick(rng, [(np.int64, np.float32), (np.int64, 'string'), ('string', np.int64)])
    fixed = op == 'HashTableV2'

    def keys(n):
        return array(rng, kt, (n,)) if kt != 'string' else pick_all(rng, [b'a', b'b', b'cc', b''], (n,))
    n = int(rng.randint(1, 6))
    there, asked, values = keys(n), keys(int(rng.randint(0, 6))), array(rng, vt, (n,))
    if fixed:
        first = sorted({k: i for i, k in enumerate(there.tolist())}.values())
        there, values = there[first], values[first]
    default = array(rng, vt, ())

    def graph(tf, ins):
        r = tf.raw_ops
        k, v, d = ins['keys'], ins['values'], ins['default']
        make = {'HashTableV2': r.HashTableV2, 'MutableHashTableV2': r.MutableHashTableV2}[op]
        t = make(key_dtype=k.dtype, value_dtype=v.dtype, shared_name='t')
        put = r.InitializeTableV2 if fixed else r.LookupTableInsertV2
        before = [] if fixed else [r.LookupTableSizeV2(table_handle=t)]
        with tf.control_dependencies(before):
            done = put(table_handle=t, keys=k, values=v)
        with tf.control_dependencies([done]):
            out = before + [r.LookupTableFindV2(table_handle=t, keys=ins['asked'], default_value=d)]
        if not fixed:
            with tf.control_dependencies(out):
                gone = r.LookupTableRemoveV2(table_handle=t, keys=ins['asked'][:1])
            with tf.control_dependencies([gone]):
                out.append(r.LookupTableFindV2(table_handle=t, keys=k, default_value=d))
                out.append(r.LookupTableSizeV2(table_handle=t))
        return out
    return [('keys', there), ('values', values), ('asked', asked), ('default', default)], {}, False, \
        2 if not fixed else 1, {'graph': graph}


def queue(op, rng, _):
    """Values go in and come out, fewer than went in: the rest comes in the next run."""
    n = int(rng.randint(2, 6))
    take = int(rng.randint(1, n + 1))
    t = pick(rng, [np.float32, np.int64, 'string'])
    s = shape(rng, rng.randint(0, 3), False)
    x = array(rng, t, (n,) + s)

    def graph(tf, ins):
        r = tf.raw_ops
        priority = op.startswith('Priority')
        attrs = {'shapes': [s], 'shared_name': 'q'}
        if not op.startswith('Padding') and not priority:
            attrs['shapes'] = pick(rng, [[s], []]) if take == 1 else [s]
        types = {'component_types': [ins['x'].dtype]}
        q = getattr(r, op)(capacity=100, **types, **attrs)
        first = [ins['rank']] if priority else []
        put = r.QueueEnqueueManyV2(handle=q, components=first + [ins['x']])
        kinds = [tf.int64] * priority + [ins['x'].dtype]
        with tf.control_dependencies([put]):
            if take == 1:
                out = r.QueueDequeueV2(handle=q, component_types=kinds)
            else:
                out = r.QueueDequeueManyV2(handle=q, n=tf.constant(take), component_types=kinds)
        with tf.control_dependencies(out):
            return list(out) + [r.QueueSizeV2(handle=q), r.QueueIsClosedV2(handle=q)]
    inputs = [('x', x)]
    if op.startswith('Priority'):
        inputs.append(('rank', rng.permutation(n).astype(np.int64)))
    # of equal priorities either may come first
    return inputs, {}, False, 1 if op.startswith('Priority') else 3, {'graph': graph}


GENERATORS = {
    'DecodeBase64': decode_base64, 'AsString': as_string, 'StringFormat': string_format, 'StringJoin': string_join,
    'StringSplit': string_split, 'StringSplitV2': string_split, 'StringNGrams': ngrams, 'StringToNumber': to_number,
    'UnicodeDecode': unicode_in, 'UnicodeDecodeWithOffsets': unicode_in, 'UnicodeTranscode': unicode_in,
    'UnicodeEncode': unicode_encode, 'UnsortedSegmentJoin': segment_join, 'DecodeRaw': decode_raw,
    'DecodeCSV': decode_csv, 'Bucketize': bucketize, 'HistogramFixedWidth': histogram, 'CompareAndBitpack': bitpack,
    'HashTableV2': table, 'MutableHashTableV2': table, 'FIFOQueueV2': queue, 'PaddingFIFOQueueV2': queue,
    'PriorityQueueV2': queue,
}
for name in '''StringStrip StringLength StringLower StringUpper StringToHashBucket StringToHashBucketFast
        StringToHashBucketStrong EncodeBase64'''.split():
    GENERATORS[name] = plain
for name in 'RegexReplace RegexFullMatch StaticRegexReplace StaticRegexFullMatch'.split():
    GENERATORS[name] = regex
for name in '''Args ArgsGradient Vars VarsGradient VarsPerChannel VarsPerChannelGradient'''.split():
    GENERATORS['FakeQuantWithMinMax' + name] = fake_quant
