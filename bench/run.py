#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Leat beside what users would take instead, in one run: `make bench`.

    bench/run.py [--build DIR] [--cases A,B] [--threads 1,2] [--quick] [--json FILE] [--peers A,B]

Every program stays up and measures when it is asked (bench/README.md), so that ours and a peer's
samples alternate, second by second, pinned to the same cores. A ratio is the median over those
pairs: what else the machine does slows both. Peers that are not in build/peers are left out.
"""
import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = {'tf1': 'with_tf.py', 'tf2': 'with_tf.py', 'jax': 'with_jax.py',
            'torch': 'with_torch.py'}
ALL = list(PROGRAMS)
# case -> (peers, bare programs). A training case's goal is its factor over the best peer; the
# second figure is that factor held below 0.9 of the computed floor, 1.0 where the best peer stands
# above 0.85 of it.
CASES = {
    'null_run': (['tf1', 'tf2'], []),
    'node_tape': (['tf1', 'tf2', 'torch'], []),
    'node_dataflow': (['tf1', 'tf2'], []),
    'gemm': ([], ['math-gemm', 'math-gemm_xsmm']),
    'conv': ([], ['math-conv']),
    'ewise_chain': (['tf2', 'jax', 'torch'], ['math-copy']),
    'import': (['tf1'], []),
    'checkpoint': ([], ['io-dd']),
    'checkpoint_many': ([], []),
    'records': ([], []),
}
# case -> (peers, bare programs); the goals are in cluster_goal
CLUSTER = {'cluster_null': (['tf1'], ['dist-rpc']), 'cluster_clients': (['tf1'], []),
           'cluster_lookup': (['tf1'], []), 'cluster_recv': (['tf1', 'tf2'], ['dist-rpc']),
           'cluster_planes': ([], []),
           'cluster_mlp': (['tf1'], []), 'cluster_async': (['tf1'], [])}
CASES.update(CLUSTER)
MOST_CLIENTS_NS = 8.8e6  # figure 6 of the OSDI'16 paper
# Python's own cases: ours is python3 -m leat on the peers' program
PYTHON = {'py_import': ['tf1', 'torch'], 'py_null_run': ['tf1', 'tf2'],
          'py_feed': ['tf1', 'tf2'], 'py_mnist': ['tf1', 'tf2', 'torch']}
CASES.update({name: (peers, []) for name, peers in PYTHON.items()})
C_PROGRAM = 'C'  # py_mnist beside the same model by the C API
FILES = ['checkpoint', 'checkpoint_many', 'records']  # they write; one run a sample
IMPORT_FACTOR = 2  # at most half of TensorFlow's time, on the same bytes
FACTORS = {'softmax': (2.0, 2.0), 'mlp_sgd': (1.1, 1.07), 'mlp_adam': (1.1, 1.0),
           'cnn': (1.15, 1.15), 'lstm': (1.2, 1.15), 'w2v': (1.75, 1.75), 'textcnn': (2.0, 2.0),
           'resnet20': (1.15, 1.06)}
CASES.update({name: (ALL, []) for name in FACTORS})
MOST_NS = {'null_run': 1000, 'node_tape': 50, 'node_dataflow': 100}
ANSWER_SECONDS = 600  # PyTorch compiles a model in the first one
TICKS = os.sysconf('SC_CLK_TCK')


class Program:
    """One that measures when asked. Its errors end it, not the run."""

    def __init__(self, name, command, cores, env=None):
        self.name, self.why = name, ''
        self.busy, self.wall, self.memory = 0.0, 0.0, None
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, **(env or {})),
            preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def read(self):
        ready, _, _ = select.select([self.process.stdout], [], [], ANSWER_SECONDS)
        line = self.process.stdout.readline() if ready else b''
        if not line:
            self.why = 'ended' if ready else 'no answer in %d s' % ANSWER_SECONDS
            self.stop()
            return None
        return json.loads(line.decode())

    def cpu_seconds(self):
        """Of all its threads, so far; 0 where the system does not say."""
        try:
            with open('/proc/%d/stat' % self.process.pid, encoding='utf-8') as f:
                words = f.read().rpartition(')')[2].split()
        except OSError:
            return 0
        return (int(words[11]) + int(words[12])) / TICKS

    def ask(self, part, seconds):
        if self.why:
            return None
        cpu, start = self.cpu_seconds(), time.monotonic()
        answer = self.exchange(part, seconds)
        if answer:  # the last one: in the first, models are built
            self.busy, self.wall = self.cpu_seconds() - cpu, time.monotonic() - start
            self.memory = answer.get('private_mib', self.memory)
        return answer

    def exchange(self, part, seconds):
        try:
            self.process.stdin.write(('%g %s\n' % (seconds, part)).encode())
            self.process.stdin.flush()
        except OSError:
            self.why = 'ended'
            return None
        answer = self.read()
        if answer and 'error' in answer:
            self.why = answer['error'] if not part else ''
            return None
        return answer

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()


def start_ours(args, case, threads, cores, folder):
    if case in PYTHON:
        source = os.path.join(ROOT, 'bench', 'peers', 'with_tf.py')
        env = {'PYTHONPATH': os.path.join(ROOT, 'python'),
               'LEAT_PYTHON_CORE': os.path.join(args.build, 'python')}
        return Program('leat', ['/usr/bin/python3', '-m', 'leat', source, '--case', case,
                                '--threads', str(threads), '--serve'], cores, env)
    command = [os.path.join(args.build, 'bin', 'leat'), 'bench', '--case', case, '--threads',
               str(threads), '--folder', folder, '--serve']
    return Program('leat', command, cores)


def write_graphs(args, case, parts, folder):
    """The bytes that the parts import, for the peers: FOLDER/PART."""
    for part in parts:
        subprocess.run([os.path.join(args.build, 'bin', 'leat'), 'bench', '--case', case, '--part', part,
                        '--graph', os.path.join(folder, part)], check=True)


def start_peers(args, case, threads, cores, folder):
    """The programs of a case, and why some are not there. folder: of the graphs that they import."""
    started, absent = [], {}
    names, bare = CASES[case]
    env = {'OMP_NUM_THREADS': str(threads), 'KMP_BLOCKTIME': '1', 'BENCH_GRAPHS': folder, 'BENCH_FOLDER': folder,
           'XLA_FLAGS': '--xla_cpu_multi_thread_eigen=%s' % ('true' if threads > 1 else 'false')}
    for name in names:
        if name not in args.peers:
            continue
        python = os.path.join(ROOT, 'build', 'peers', name, 'bin', 'python')
        if not os.path.exists(python):
            absent[name] = 'not installed (make peers)'
            continue
        source = os.path.join(ROOT, 'bench', 'peers', PROGRAMS[name])
        command = [python, source, '--case', case, '--threads', str(threads), '--serve']
        started.append(Program(name, command, cores, env))
    if case == 'py_mnist':
        command = [os.path.join(args.build, 'bin', 'leat'), 'bench', '--case', 'softmax',
                   '--threads', str(threads), '--serve']
        started.append(Program(C_PROGRAM, command, cores))
    if case == 'cluster_planes':
        if shutil.which('ucx_perftest'):
            source = os.path.join(ROOT, 'bench', 'peers', 'with_ucx.py')
            started.append(Program('ucx', [sys.executable, source, '--serve'], cores))
        else:
            absent['ucx'] = 'not installed (Debian: ucx-utils)'
    for name in bare:
        path = os.path.join(args.build, 'bench', name)
        if os.path.exists(path):
            started.append(Program(name, [path, '--serve', '--threads', str(threads)], cores, env))
        else:
            absent[name] = 'not built (ninja bench_programs)'
    return started, absent


class Row:
    """What one part of a case gave: samples of ours, and of each code beside them, in pairs."""

    def __init__(self, case, part, threads, unit, who='leat'):
        self.case, self.part, self.threads, self.unit, self.who = case, part, threads, unit, who
        self.ours, self.theirs, self.pairs, self.extra = [], {}, {}, {}

    def add(self, ours, name, theirs):
        self.ours.append(ours)
        if theirs:
            self.beside(ours, name, theirs)

    def beside(self, ours, name, theirs):
        if theirs:
            self.theirs.setdefault(name, []).append(theirs)
            better = theirs / ours if self.unit == 'ns' else ours / theirs
            self.pairs.setdefault(name, []).append(better)

    def ratio(self, name):
        return statistics.median(self.pairs[name])

    def best(self):
        return min(self.pairs, key=self.ratio) if self.pairs else None

    def goal(self):
        """(words, met or None)."""
        ours = statistics.median(self.ours)
        ratio = self.ratio(self.best()) if self.pairs else None
        if self.case in MOST_NS:
            most = MOST_NS[self.case]
            beaten = self.case == 'null_run' or 'tf2' not in self.pairs or self.ratio('tf2') > 1
            words = '<%d ns%s' % (most, '' if self.case == 'null_run' else ', tf2')
            return words, ours < most and beaten
        if self.case == 'py_mnist' and C_PROGRAM in self.pairs:
            return '0.9 of C', self.ratio(C_PROGRAM) >= 0.9
        if self.case == 'py_import':
            return '<100 ms', ours < 100e6
        if self.case in FACTORS:
            return '%.4gx' % FACTORS[self.case][1], None if ratio is None else ratio >= FACTORS[self.case][1]
        if self.case in CLUSTER:
            return self.cluster_goal()
        if self.case == 'checkpoint':
            return '0.7 of dd', None if ratio is None else ratio >= 0.7
        if self.case == 'checkpoint_many':
            return '<1 s', ours < 1e9
        if self.case == 'records':
            return '>1 GB/s', ours > 1
        if self.case == 'import':
            return '%gx' % IMPORT_FACTOR, None if ratio is None else ratio >= IMPORT_FACTOR
        if self.case == 'ewise_chain':
            if self.threads > 1 or 'copy' not in self.pairs:
                return '-', None
            return '0.8 of copy', self.ratio('copy') >= 0.8
        if self.case == 'gemm' and self.who == 'leat':
            if min(int(x) for x in self.part.split()[0].split('x')) < 128:
                return '-', None
        return '0.95x', None if ratio is None else ratio >= 0.95

    def at_least(self, *wanted):
        """Whether the ratios to these are at least so much; None where one of them is not there."""
        if not all(name in self.pairs for name, _ in wanted):
            return None
        return all(self.ratio(name) >= least for name, least in wanted)

    def cluster_goal(self):
        """What stands beside ours is named by peer, bare code, or part of our own (own_beside)."""
        if self.case == 'cluster_null':
            return '0.6 tf1, 1.5 bare', self.at_least(('tf1', 1 / 0.6), ('two calls', 1 / 1.5))
        if self.case == 'cluster_clients':
            return '<8.8 ms', statistics.median(self.ours) <= MOST_CLIENTS_NS
        if self.case == 'cluster_lookup' and self.part != '1 MB':
            return 'as 1 MB', self.at_least(('1 MB', 0.8))
        if self.case == 'cluster_recv' and '16 MB' in self.pairs:
            return '0.9 of 16 MB', self.at_least(('16 MB', 0.9))
        if self.case == 'cluster_recv':
            peers = [self.ratio(n) for n in ('tf1', 'tf2') if n in self.pairs]
            if not peers or 'bare' not in self.pairs:
                return '-', None
            return '1.2 tf/.9 tcp', self.ratio('bare') >= 0.95 and (
                min(peers) >= 1.2 or self.ratio('tcp') >= 0.9)
        if self.case == 'cluster_planes':
            return '0.8 of ucx', self.at_least(('ucx', 0.8))
        if self.part.endswith('cluster'):  # the lesser of those rates
            own = [self.ratio(n) for n in self.pairs if n not in ALL]
            return '0.8 of own', max(own) >= 0.8 if own else None
        return '-', None

    def as_json(self):
        words, met = self.goal()
        return dict(case=self.case, part=self.part, threads=self.threads, unit=self.unit,
                    who=self.who, ours=statistics.median(self.ours),
                    peers={n: {'median': statistics.median(v), 'ratio': self.ratio(n)}
                           for n, v in self.theirs.items()},
                    best=self.best(), goal=words, met=met, **self.extra)


def own_beside(case, part, parts):
    """{short name: part} of our own parts beside which one stands."""
    if case == 'cluster_recv' and part == '1024 MB':
        return {'16 MB': '16 MB'}
    if case == 'cluster_lookup' and part != '1 MB':
        return {'1 MB': '1 MB'}
    if case in CLUSTER and part.endswith('cluster'):
        size = part[:-len('cluster')]
        return {p[len(size):]: p for p in parts if p.startswith(size) and p != part}
    return {}


def measure_part(args, case, part, threads, ours, peers, parts):
    """The rows of one part: ours through a session, and math/ where a bare program has it."""
    seconds = 0 if case == 'checkpoint' else args.seconds or (0.5 if case in FACTORS or case == 'import' or case in CLUSTER else 0.1)
    rows = {}
    math = None  # what math/ gave last: bare programs without it are set beside that
    for _ in range(args.rounds):
        for peer in peers or [None]:
            mine = ours.ask(part, seconds)
            if not mine:
                return []
            row = rows.setdefault('leat', Row(case, part, threads, mine['unit']))
            row.extra.update({k: mine[k] for k in ('loss', 'private_mib', 'data_mib') if k in mine})
            for name, other in own_beside(case, part, parts).items():
                answer = ours.ask(other, seconds)
                if answer:
                    row.beside(mine['median'], name, answer['median'])
            answer = peer.ask(part, seconds) if peer else None
            if not answer:
                row.add(mine['median'], '', None)
                continue
            codes = answer.get('codes') or {peer.name: answer.get('median')}
            math = codes.pop('math', math)
            for name, value in codes.items():
                row.add(mine['median'], name, value)
                if math:
                    own = rows.setdefault('math', Row(case, part, threads, mine['unit'], 'math/'))
                    own.add(math, name, value)
    return list(rows.values())


def run_case(args, case, threads):
    # files on the disk that the build is on, not in memory
    with tempfile.TemporaryDirectory(dir=args.build if case in FILES else None) as folder:
        return run_case_in(args, case, threads, folder)


def run_case_in(args, case, threads, folder):
    # of a cluster: the client's and the worker's, the server's
    cores = sorted(os.sched_getaffinity(0))[-(2 if case in CLUSTER else threads):]
    ours = start_ours(args, case, threads, cores, folder)
    rows = []
    parts = (ours.read() or {}).get('ready', [])
    if case in PYTHON and not ours.why:
        parts = ['']
    if case == 'import':
        write_graphs(args, case, parts, folder)
    peers, notes = start_peers(args, case, threads, cores, folder)
    peers = [p for p in peers if p.read()]
    for part in parts[::3] if args.quick and len(parts) > 9 and case not in CLUSTER else parts:
        for row in measure_part(args, case, part, threads, ours, peers, parts):
            rows.append(row)
            show(row)
    notes.update({p.name: p.why for p in [ours] + peers if p.why})
    if case in FACTORS:
        show_shares(case, threads, [ours] + peers)
    for program in [ours] + peers:
        program.stop()
    for name, why in sorted(notes.items()):
        print('%-14s %s: %s' % (case, name, why), flush=True)
    return rows


def show_shares(case, threads, programs):
    """For information: the cores each had, of those it was given (less where others use the machine,
    or where it did not use them), and its memory, batches and interpreter with it."""
    there = [p for p in programs if p.wall > 0]
    print('%-14s of %d cores: %s' % (case, threads, '  '.join(
        '%s %.2f' % (p.name, p.busy / p.wall) for p in there)))
    print('%-14s private MiB: %s' % (case, '  '.join(
        '%s %.0f' % (p.name, p.memory) for p in there if p.memory)), flush=True)


def show(row):
    words, met = row.goal()
    best = row.best()
    peers = '  '.join('%s %.4g (%.2fx)' % (n, statistics.median(row.theirs[n]), row.ratio(n))
                      for n in sorted(row.pairs))
    print('%-14s %-30s %-5s %d %10.4g %-8s %-7s %-12s %-3s  %s' % (
        row.case, row.part, row.who, row.threads, statistics.median(row.ours), row.unit,
        '%.2fx' % row.ratio(best) if best else '-', words,
        {True: 'met', False: 'NOT', None: '-'}[met], peers), flush=True)


def footprint(args, rows):
    """[(what, value, unit, most)]: bytes of the library, how long it takes to load, memory."""
    library = os.path.join(args.build, 'lib', 'libleat.so')
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(os.path.realpath(library), os.path.join(folder, 'libleat.so'))
        if shutil.which('strip'):
            subprocess.run(['strip', copy], check=False)
        lines.append(('libleat.so stripped', os.path.getsize(copy) / 1e6, 'MB', 10))
    load = ('import ctypes, sys, time; t = time.perf_counter(); ctypes.CDLL(sys.argv[1]); '
            'print((time.perf_counter() - t) * 1e3)')
    times = [float(subprocess.run([sys.executable, '-c', load, library], check=True,
                                  stdout=subprocess.PIPE).stdout) for _ in range(9)]
    lines.append(('loading libleat.so', statistics.median(times), 'ms', 10))
    for row in rows:
        if row.case == 'softmax' and 'private_mib' in row.extra:
            lines.append(('memory of softmax, %d threads' % row.threads,
                          row.extra['private_mib'] - row.extra['data_mib'], 'MiB', 30))
    return lines


def read_args():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--peers', default='', help='of %s' % ' '.join(ALL))
    parser.add_argument('--build', default=os.path.join(ROOT, 'build'))
    parser.add_argument('--cases', default='')
    parser.add_argument('--threads', default='')
    parser.add_argument('--rounds', type=int, default=0)
    parser.add_argument('--seconds', type=float, default=0)
    parser.add_argument('--quick', action='store_true', help='few rounds, a third of the sizes')
    parser.add_argument('--json', metavar='FILE')
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    args.cases = args.cases.split(',') if args.cases else list(CASES)
    unknown = set(args.cases) - set(CASES)
    if unknown:
        parser.error('no such case: %s; there are %s' % (' '.join(unknown), ' '.join(CASES)))
    most = len(os.sched_getaffinity(0))
    args.threads = [int(t) for t in args.threads.split(',')] if args.threads else [1, 2]
    args.threads = [t for t in args.threads if 1 <= t <= most]
    args.peers = args.peers.split(',') if args.peers else ALL
    if set(args.peers) - set(ALL):
        parser.error('no such peer; there are %s' % ' '.join(ALL))
    args.rounds = args.rounds or (3 if args.quick else 7)
    return args


def main():
    args = read_args()
    rows = []
    print('%-14s %-30s %-5s T %10s %-8s %-7s %-12s %-3s  %s' % (
        'case', 'part', 'code', 'ours', 'unit', 'ratio', 'goal', '', 'peers (ours over theirs)'))
    for case in args.cases:
        for threads in args.threads:
            if threads > 1 and (case in MOST_NS or case in CLUSTER or case == 'import' or
                                case in PYTHON or case in FILES):
                continue
            rows += run_case(args, case, threads)
    lines = footprint(args, rows)
    for what, value, unit, most in lines:
        print('%-32s %10.4g %-4s under %-4g %s' % (what, value, unit, most,
                                                   'met' if value < most else 'NOT'))
    goals = [row.goal()[1] for row in rows] + [value < most for _, value, _, most in lines]
    print('%d goals met, %d not' % (goals.count(True), goals.count(False)))
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            json.dump({'rows': [r.as_json() for r in rows],
                       'footprint': [dict(zip(('what', 'value', 'unit', 'under'), x)) for x in lines]},
                      f, indent=1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
