# SPDX-License-Identifier: Apache-2.0
"""python3 -m leat PROGRAM.py [ARGUMENT...]: runs a TensorFlow 1.x program as it is.

Also -m MODULE, -c CODE, and - for a program on the standard input, as python3 has them. Within the
program `tensorflow`, and all modules below it, are Leat's.
"""
import importlib.machinery
import io
import os
import runpy
import sys
import types

from leat import _alias, leat_version

_USAGE = 'usage: python3 -m leat [--version] PROGRAM.py | -m MODULE | -c CODE | - [ARGUMENT...]\n'


def _put_in_path(first):
    """sys.path as python3 would have it; processes that the program makes find the alias there."""
    if not getattr(sys.flags, 'safe_path', False):
        if sys.path:
            sys.path[0] = first
        else:
            sys.path.append(first)
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(here)
    if above not in [os.path.abspath(path) for path in sys.path if path]:
        sys.path.append(above)
    sys.path.insert(1, os.path.join(here, '_as_tensorflow'))


def _run_code(source, path, loader):
    """Runs a program in a new module __main__; the traceback of an error begins with its lines."""
    module = types.ModuleType('__main__')
    module.__dict__.update(__builtins__=__builtins__, __spec__=None, __loader__=loader)
    if loader is not None:
        module.__file__ = path
        module.__cached__ = None
    sys.modules['__main__'] = module
    try:
        exec(compile(source, path, 'exec', dont_inherit=True), module.__dict__)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def _run_path(path):
    if os.path.isdir(path) or path.endswith(('.zip', '.pyz', '.pyc')):
        runpy.run_path(path, run_name='__main__')
        return
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write("python3 -m leat: can't open file %r: %s\n" % (path, error))
        sys.exit(2)
    _run_code(source, path, importlib.machinery.SourceFileLoader('__main__', path))


def main(arguments):
    """What the module comment says."""
    _alias.install()
    if not arguments or arguments[0] in ('-h', '--help'):
        (sys.stdout if arguments else sys.stderr).write(_USAGE)
        sys.exit(0 if arguments else 2)
    what, rest = arguments[0], arguments[1:]
    if what == '--version':
        print('Leat', leat_version)
    elif what in ('-c', '-m'):
        if not rest:
            sys.stderr.write('Argument expected for the %s option\n' % what + _USAGE)
            sys.exit(2)
        sys.argv[:] = [what] + rest[1:]
        _put_in_path('' if what == '-c' else os.getcwd())
        if what == '-c':
            _run_code(rest[0], '<string>', None)
        else:
            module = rest[0]
            if module.startswith('tensorflow.'):  # a program of TensorFlow's, as its tools
                module = 'leat' + module[len('tensorflow'):]
            runpy._run_module_as_main(module, alter_argv=True)
    elif what == '-':
        sys.argv[:] = arguments
        _put_in_path('')
        _run_code(sys.stdin.buffer.read(), '<stdin>', None)
    elif what.startswith('-'):
        sys.stderr.write('unknown option %s\n' % what + _USAGE)
        sys.exit(2)
    else:
        sys.argv[:] = arguments
        _put_in_path(os.path.dirname(os.path.realpath(what)))
        _run_path(what)


if __name__ == '__main__':
    main(sys.argv[1:])
