# SPDX-License-Identifier: Apache-2.0
"""tf.app: runs a program's main with its flags read."""
import sys as _sys

from leat.python.platform import flags


class UsageError(Exception):
    """The arguments that a program was given make no sense to it."""

    def __init__(self, message, exitcode=1):
        super().__init__(message)
        self.exitcode = exitcode


def usage(shorthelp=False, writeto_stdout=False, detailed_error=None, exitcode=None):
    """Prints the program's docstring and its flags."""
    out = _sys.stdout if writeto_stdout else _sys.stderr
    doc = getattr(_sys.modules['__main__'], '__doc__', None)
    doc = (doc or '\nUSAGE: %s [flags]\n' % _sys.argv[0]).replace('%s', _sys.argv[0])
    text = flags.FLAGS.main_module_help() if shorthelp else flags.FLAGS.get_help()
    out.write('%s\nflags:\n%s\n' % (doc, text))
    if shorthelp:
        out.write('\nTry --helpfull to get a list of all flags.\n')
    if detailed_error is not None:
        out.write('\n%s\n' % detailed_error)
    if exitcode is not None:
        _sys.exit(exitcode)


def _wants_help(argv):
    """Prints the help and leaves when it is asked for, unless such a flag is the program's own."""
    for arg in argv[1:]:
        if arg == '--':
            return
        name = arg.lstrip('-')
        if (arg.startswith('-') and name in ('help', 'helpshort', 'helpfull', 'h', '?')
                and name not in flags.FLAGS and not (name == 'h' and arg != '-h')):
            usage(shorthelp=name != 'helpfull', writeto_stdout=True, exitcode=1)


def run(main=None, argv=None):
    """main(arguments that are no flags), and the end of the program with what it returns."""
    argv = list(_sys.argv if argv is None else argv)
    main = main or _sys.modules['__main__'].main
    _wants_help(argv)
    try:
        rest = flags.FLAGS(argv, known_only=True)
    except flags.Error as error:
        _sys.stderr.write('FATAL Flags parsing error:\n  %s\n'
                          'Pass --helpshort or --helpfull to see help on flags.\n' % error)
        _sys.exit(1)
    try:
        _sys.exit(main(rest))
    except UsageError as error:
        usage(shorthelp=True, detailed_error=error, exitcode=error.exitcode)
