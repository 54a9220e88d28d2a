# SPDX-License-Identifier: Apache-2.0
"""A task of a cluster run by Leat, for clusters.py: serve.py LIBRARY SERVER_DEF, the latter serialized
and in hexadecimal digits. Says "ready", or what is wrong, and serves until it is killed.
"""
import ctypes as C
import signal
import sys

import leat

C.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with its parent
library = leat.Library(sys.argv[1])
for name in ('TF_NewServer', 'TF_NewStatus'):
    getattr(library.lib, name).restype = C.c_void_p
status = C.c_void_p(library.lib.TF_NewStatus())
definition = bytes.fromhex(sys.argv[2])
server = C.c_void_p(library.lib.TF_NewServer(definition, C.c_size_t(len(definition)), status))
if library.lib.TF_GetCode(status) == 0:
    library.lib.TF_ServerStart(server, status)
if library.lib.TF_GetCode(status):
    print(library.lib.TF_Message(status).decode(), flush=True)
    sys.exit(1)
print('ready', flush=True)
signal.pause()
