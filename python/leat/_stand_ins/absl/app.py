# SPDX-License-Identifier: Apache-2.0
"""absl.app: runs a program's main; unlike tf.app.run it takes no flag that it does not know."""
import sys

from leat.python.platform import app as _app
from leat.python.platform import flags
from leat.python.platform.app import UsageError, usage  # noqa: F401


def run(main, argv=None, flags_parser=None):
    """main(arguments that are no flags), and the end of the program with what it returns."""
    argv = list(sys.argv if argv is None else argv)
    _app._wants_help(argv)
    try:
        rest = (flags_parser or flags.FLAGS)(argv)
    except flags.Error as error:
        sys.stderr.write('FATAL Flags parsing error:\n  %s\n'
                         'Pass --helpshort or --helpfull to see help on flags.\n' % error)
        sys.exit(1)
    try:
        sys.exit(main(rest))
    except UsageError as error:
        usage(shorthelp=True, detailed_error=error, exitcode=error.exitcode)
