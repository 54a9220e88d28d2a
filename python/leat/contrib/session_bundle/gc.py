# SPDX-License-Identifier: Apache-2.0
"""Which of the numbered exports below a folder are kept."""
import collections
import heapq
import os

from leat.python.lib.io import file_io
from leat.python.util.deprecation import deprecated

Path = collections.namedtuple('Path', 'path export_version')
_GONE = deprecated('2017-06-30', 'Please use SavedModel instead.')


@_GONE
def largest_export_versions(n):
    """Keeps the n with the greatest numbers."""
    def keep(paths):
        chosen = heapq.nlargest(n, range(len(paths)),
                                key=lambda i: (paths[i].export_version, i))
        return sorted(paths[i] for i in chosen)
    return keep


@_GONE
def one_of_every_n_export_versions(n):
    """Keeps the last of each n numbers: of (0, n], (n, 2n]..., and 0 with the first."""
    def keep(paths):
        last = {}
        for path in paths:
            version = path.export_version
            group = (version - 1) // n if version else 0
            if group not in last or last[group].export_version < version:
                last[group] = path
        return sorted(last.values())
    return keep


@_GONE
def mod_export_version(n):
    """Keeps those whose number n divides."""
    def keep(paths):
        return sorted(path for path in paths if path.export_version % n == 0)
    return keep


@_GONE
def union(lf, rf):
    """Keeps what either keeps."""
    def keep(paths):
        return sorted({*lf(paths), *rf(paths)})
    return keep


@_GONE
def negation(f):
    """Keeps what f does not."""
    def keep(paths):
        return sorted(set(paths) - set(f(paths)))
    return keep


@_GONE
def get_paths(base_dir, parser):
    """What is below a folder, each as parser makes of Path(path, None); None leaves it out."""
    found = (parser(Path(os.path.join(str(base_dir), name.rstrip('/')), None))
             for name in file_io.list_directory(base_dir))
    return sorted(path for path in found if path)
