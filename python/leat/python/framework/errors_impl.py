# SPDX-License-Identifier: Apache-2.0
"""The exceptions of a run: a class for each status code, with the op and where it was made."""
import traceback

from leat.python.util.tf_export import tf_export

# Code, name of the constant, name of the class.
_ROWS = (
    (1, 'CANCELLED', 'CancelledError', 'An operation was cancelled.'),
    (2, 'UNKNOWN', 'UnknownError', 'What went wrong is not known.'),
    (3, 'INVALID_ARGUMENT', 'InvalidArgumentError', 'An op got what it cannot take.'),
    (4, 'DEADLINE_EXCEEDED', 'DeadlineExceededError', 'The time for it ran out.'),
    (5, 'NOT_FOUND', 'NotFoundError', 'What was asked for is not there.'),
    (6, 'ALREADY_EXISTS', 'AlreadyExistsError', 'What was to be made is there already.'),
    (7, 'PERMISSION_DENIED', 'PermissionDeniedError', 'The caller may not do this.'),
    (16, 'UNAUTHENTICATED', 'UnauthenticatedError', 'The caller did not say who it is.'),
    (8, 'RESOURCE_EXHAUSTED', 'ResourceExhaustedError', 'Memory, or another thing, is used up.'),
    (9, 'FAILED_PRECONDITION', 'FailedPreconditionError', 'Something must be done before.'),
    (10, 'ABORTED', 'AbortedError', 'An operation was aborted.'),
    (11, 'OUT_OF_RANGE', 'OutOfRangeError', 'There is no more: the end of the input.'),
    (12, 'UNIMPLEMENTED', 'UnimplementedError', 'There is no such operation here.'),
    (13, 'INTERNAL', 'InternalError', 'An invariant does not hold.'),
    (14, 'UNAVAILABLE', 'UnavailableError', 'The other side cannot be reached now.'),
    (15, 'DATA_LOSS', 'DataLossError', 'Data are lost or damaged.'),
)

OK = 0
_CODE_TO_EXCEPTION_CLASS = {}
_EXCEPTION_CLASS_TO_CODE = {}


def _origin_text(op):
    """Where an op was made, and the op whose gradient it is, as lines; '' when not known."""
    lines = []
    try:
        lines.append("\n\nOriginal stack trace for %r:\n" % op.name)
        lines += traceback.format_list([tuple(frame[:4]) for frame in op.traceback])
        original = getattr(op, '_original_op', None)
        while original is not None:
            lines.append('\n...which was originally created as op %r, defined at:\n'
                         % original.name)
            lines += traceback.format_list([tuple(f[:4]) for f in original.traceback])
            original = getattr(original, '_original_op', None)
    except (AttributeError, TypeError):
        return ''
    return ''.join(lines)


@tf_export('errors.OpError', v1=['errors.OpError', 'OpError'])
class OpError(Exception):
    """What a run failed with: op and node_def may be None when no op of the graph is to blame."""

    def __init__(self, node_def, op, message, error_code):
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    def __reduce__(self):
        # An op does not leave its process.
        arguments = (self._node_def, None, self._message)
        if type(self) is OpError:
            arguments += (self._error_code,)
        return type(self), arguments

    @property
    def message(self):
        return self._message

    @property
    def op(self):
        """The op that failed, when it is one of the graph."""
        return self._op

    @property
    def error_code(self):
        return self._error_code

    @property
    def node_def(self):
        """The NodeDef of the op that failed."""
        if self._node_def is None and self._op is not None:
            return getattr(self._op, 'node_def', None)
        return self._node_def

    def __str__(self):
        if self._op is None:
            return str(self._message)
        return str(self._message) + _origin_text(self._op)


def _make_class(code, name, summary):
    def __init__(self, node_def, op, message):
        OpError.__init__(self, node_def, op, message, code)

    def __init_code__(self, node_def, op, message, error_code=code):
        OpError.__init__(self, node_def, op, message, error_code)

    init = __init_code__ if name == 'UnknownError' else __init__
    init.__name__, init.__qualname__ = '__init__', name + '.__init__'
    made = type(name, (OpError,), {'__init__': init, '__doc__': summary, '__module__': __name__})
    return tf_export('errors.' + name)(made)


for _code, _constant, _class, _summary in _ROWS:
    globals()[_constant] = _code
    globals()[_class] = _CODE_TO_EXCEPTION_CLASS[_code] = _make_class(_code, _class, _summary)
    _EXCEPTION_CLASS_TO_CODE[_CODE_TO_EXCEPTION_CLASS[_code]] = _code


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph was used as a Python bool, or iterated over."""


class InaccessibleTensorError(ValueError):
    """A tensor was used where its function does not reach."""


@tf_export('errors.exception_type_from_error_code',
           v1=['errors.exception_type_from_error_code'])
def exception_type_from_error_code(error_code):
    """The class of a code; KeyError for a code that there is not."""
    return _CODE_TO_EXCEPTION_CLASS[error_code]


@tf_export('errors.error_code_from_exception_type',
           v1=['errors.error_code_from_exception_type'])
def error_code_from_exception_type(cls):
    """The code of a class; warns, and None, for others."""
    try:
        return _EXCEPTION_CLASS_TO_CODE[cls]
    except KeyError:
        import warnings
        warnings.warn('Unknown class exception')
        return _EXCEPTION_CLASS_TO_CODE.get(cls)


def _make_specific_exception(node_def, op, message, error_code):
    """An exception of the class of error_code."""
    try:
        made = exception_type_from_error_code(error_code)
    except KeyError:
        return globals()['UnknownError'](node_def, op, message, error_code)
    return made(node_def, op, message)


class _Status:
    """What a call that reports by a status sets."""

    def __init__(self):
        self.code = OK
        self.message = ''

    def set(self, code, message):
        """Notes the outcome."""
        self.code, self.message = code, message


class raise_exception_on_not_ok_status:
    """with raise_exception_on_not_ok_status() as status: raises at the end what status says."""

    def __enter__(self):
        self.status = _Status()
        return self.status

    def __exit__(self, kind, value, trace):
        if self.status.code != OK and kind is None:
            raise _make_specific_exception(None, None, self.status.message, self.status.code)
        return False
