#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What UCX's own test gives, beside cluster_planes: `ucx_perftest -t tag_bw` (Debian: ucx-utils).

    with_ucx.py --serve ...    for each line `SECONDS shared, 16 MB` one JSON line with GB/s

The sender is on the last of the two cores, as the parameter server is, the receiver on the first;
shared memory is `UCX_TLS=posix,sysv,cma,self`, tcp `UCX_TLS=tcp` on the loopback.
"""
import json
import os
import re
import subprocess
import sys
import time

PORT = 13337
TRANSPORTS = {'shared': 'posix,sysv,cma,self', 'tcp': 'tcp'}


def start(words, core, env):
    return subprocess.Popen(['ucx_perftest', '-p', str(PORT)] + words, env=env, universal_newlines=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            preexec_fn=lambda: os.sched_setaffinity(0, [core]))


def measure(seconds, part):
    transport, megabytes = re.match(r'(\w+), (\d+) MB(?:, \d+ a step)?$', part).groups()
    cores = sorted(os.sched_getaffinity(0))
    size = int(megabytes) * 1000000
    env = dict(os.environ, UCX_TLS=TRANSPORTS[transport], UCX_NET_DEVICES='lo')
    count = max(5, min(2000, int(seconds * 4e9 / size)))
    receiver = start([], cores[0], env)
    text = ''
    for _ in range(50):  # until it listens
        time.sleep(0.1)
        sender = start(['localhost', '-t', 'tag_bw', '-s', str(size), '-n', str(count), '-w', '2'], cores[-1], env)
        text, _ = sender.communicate(timeout=120)
        if sender.returncode == 0 or receiver.poll() is not None:
            break
    receiver.kill()
    receiver.communicate()
    found = re.search(r'^Final: +(.*)$', text, re.M)
    if not found:
        return {'error': 'ucx_perftest: ' + text.strip()[-200:]}
    return {'codes': {'ucx': float(found.group(1).split()[5]) * (1 << 20) / 1e9}}


def main():
    print(json.dumps({'ready': []}), flush=True)
    for line in sys.stdin:
        seconds, part = line.rstrip('\n').split(' ', 1)
        print(json.dumps(measure(float(seconds), part)), flush=True)


if __name__ == '__main__':
    main()
