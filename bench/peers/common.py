# SPDX-License-Identifier: Apache-2.0
"""What the peers' programs share: the cases' sizes, timing as `leat bench` does it, and its way of
being asked: one JSON line a case, or, with --serve, one for each line "SECONDS PART" that comes.

A peer gives a function build(case, part, threads) that returns what one run does, or None where it
has no such case. Python 3.7 runs this too.
"""
import argparse
import json
import sys
import time

CHAIN_NODES = 2000
BATCHES = 8
TRAINING = ['softmax', 'mlp_sgd', 'mlp_adam', 'cnn', 'lstm', 'w2v', 'textcnn', 'resnet20']

UNITS = {'null_run': 'ns', 'node_tape': 'ns', 'node_dataflow': 'ns', 'gemm': 'GFLOP/s',
         'conv': 'GFLOP/s', 'ewise_chain': 'GB/s'}
UNITS.update({name: 'steps/s' for name in TRAINING + ['import', 'cluster_mlp']})
UNITS.update({'py_import': 'ns', 'py_null_run': 'ns', 'py_feed': 'ns', 'py_mnist': 'steps/s'})
UNITS.update({'cluster_null': 'ns', 'cluster_clients': 'ns', 'cluster_lookup': 'ns',
              'cluster_recv': 'GB/s', 'cluster_async': 'GB/s'})


def gemm_part(part):
    """'128x10x784 NT' -> m, n, k, a transposed, b transposed."""
    size, form = part.split()
    return tuple(int(x) for x in size.split('x')) + (form[0] == 'T', form[1] == 'T')


def conv_part(part):
    """'128x14x14 32-64 5x5 data' -> batch, size, in, out, filter, pass."""
    image, channels, f, which = part.split()
    batch, size, _ = (int(x) for x in image.split('x'))
    cin, cout = (int(x) for x in channels.split('-'))
    return batch, size, cin, cout, int(f.split('x')[0]), which


def ewise_part(part):
    """'16M floats' -> how many."""
    return int(part.split('M')[0]) << 20


def work_of(case, part):
    """Of one run: nodes, 1e9 operations, 1e9 bytes, or steps."""
    if case in ('node_tape', 'node_dataflow'):
        return CHAIN_NODES
    if case == 'cluster_clients':
        return 5  # steps of each
    if case == 'cluster_recv':
        return int(part.split()[0]) * 1e-3
    if case == 'cluster_async':
        return 16e-3 if part.startswith('16 MB') else 1024 * 128 * 4e-9
    if case == 'gemm':
        m, n, k, _, _ = gemm_part(part)
        return 2e-9 * m * n * k
    if case == 'conv':
        b, s, i, o, f, _ = conv_part(part)
        return 2e-9 * b * s * s * f * f * i * o
    return 8e-9 * ewise_part(part) if case == 'ewise_chain' else 1


def ewise_constants():
    """[(op, constant)] of the chain."""
    return [(('add', 'mul', 'max')[i % 3], 0.5 + 0.1 * i) for i in range(10)]


def batches(numpy, shape, limit=0):
    """Random data of some batches: floats in [-1, 1), or int32 in [0, limit)."""
    random = numpy.random.RandomState(7)
    shape = (BATCHES,) + tuple(shape)
    if limit:
        return random.randint(0, limit, shape).astype('int32')
    return random.uniform(-1, 1, shape).astype('float32')


def measure(call, work, unit, seconds):
    def timed(n):
        start = time.perf_counter()
        for _ in range(n):
            call()
        return (time.perf_counter() - start) / n

    end = time.perf_counter() + seconds
    repeat = int(5e-3 / (timed(1) + 1e-9)) + 1
    samples = []
    while len(samples) < (5 if repeat > 1 else 1) or time.perf_counter() < end:
        samples.append(timed(repeat))
    samples.sort()

    def value(s):
        return s * 1e9 / work if unit == 'ns' else work / s
    n = len(samples)
    ends = sorted([value(samples[n // 10]), value(samples[n - 1 - n // 10])])
    return {'median': value((samples[(n - 1) // 2] + samples[n // 2]) / 2), 'p10': ends[0],
            'p90': ends[1]}


def private_mib():
    """MiB of memory that is this process's alone, 0 where the system does not say."""
    try:
        with open('/proc/self/status', encoding='utf-8') as f:
            return next((int(x.split()[1]) for x in f if x.startswith('RssAnon:')), 0) / 1024
    except OSError:
        return 0


class Bench:
    def __init__(self, case, threads, build):
        self.case, self.threads, self.build = case, threads, build
        self.calls = {}

    def run(self, part, seconds):
        """The JSON line of a measurement."""
        if part not in self.calls:
            call = self.build(self.case, part, self.threads)
            if call:
                for _ in range(3):
                    call()
            self.calls[part] = call
        if not self.calls[part]:
            return {'case': self.case, 'error': 'no such case here'}
        line = {'case': self.case, 'threads': self.threads, 'unit': UNITS[self.case]}
        if part:
            line['part'] = part
        line.update(measure(self.calls[part], work_of(self.case, part), UNITS[self.case], seconds))
        if self.case in TRAINING:
            line['private_mib'] = private_mib()
        return line


def say(line):
    print(json.dumps(line), flush=True)


def main(build):
    parser = argparse.ArgumentParser()
    parser.add_argument('--case', required=True, choices=sorted(UNITS))
    parser.add_argument('--part', default='')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=1.0)
    parser.add_argument('--serve', action='store_true')
    args = parser.parse_args()
    bench = Bench(args.case, args.threads, build)
    if not args.serve:
        return say(bench.run(args.part, args.seconds))
    say({'ready': []})
    for line in sys.stdin:
        seconds, _, part = line.rstrip('\n').partition(' ')
        say(bench.run(part, float(seconds)))
