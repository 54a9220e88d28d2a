# SPDX-License-Identifier: Apache-2.0
"""What the scripts of checks share: which checks there are, running them, saying how they went.

    import checks                       # before TensorFlow: Leat must come first, see leat.py
    CHECKS = checks.Checks('record_')

    @CHECKS                             # record_files; it may do without the argument
    def files(folder): ...

    if __name__ == '__main__':
        CHECKS.main()

A script takes `--list`, or `LIBRARY [NAME...]` and prints what run.py reads: `try NAME 0`, then `pass`,
`fail WHY` or `skip WHY`. A check fails by raising or by returning what is wrong; Skip skips it.
"""
import inspect
import os
import shutil
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
warnings.filterwarnings('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import leat

if len(sys.argv) < 2:
    sys.exit('usage: %s --list, or %s LIBRARY [NAME...]' % (sys.argv[0], sys.argv[0]))
LIBRARY = None if sys.argv[1] == '--list' else leat.Library(sys.argv[1])


def chosen(names):
    """All of the names; in the quick tier every fourth."""
    names = list(names)
    return names[::4] if os.environ.get('LEAT_TIER') == 'quick' else names


class Skip(Exception):
    """The check cannot be made here, and why."""


class Checks(dict):
    """Checks by name."""

    def __init__(self, prefix=''):
        super().__init__()
        self.prefix = prefix

    def __call__(self, f):
        self[self.prefix + f.__name__] = f
        return f

    def run(self, name):
        """How the check went: a line for run.py."""
        folder = tempfile.mkdtemp(prefix='leat-interop-')
        try:
            wants_folder = inspect.signature(self[name]).parameters
            wrong = self[name](folder) if wants_folder else self[name]()
        except Skip as e:
            return 'skip %s' % e
        except leat.Error as e:
            if 'Op type not registered' in e.message:
                return 'skip not in this build'
            wrong = str(e)
        except Exception as e:  # pylint: disable=broad-except
            wrong = '%s: %s' % (type(e).__name__, e)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return 'fail ' + wrong.replace('\n', ' ')[:1000] if wrong else 'pass'

    def main(self):
        if not LIBRARY:
            print(' '.join(self))
            return
        for name in sys.argv[2:] or self:
            print('try %s 0' % name, flush=True)
            print(self.run(name), flush=True)
