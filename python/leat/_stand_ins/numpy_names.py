# SPDX-License-Identifier: Apache-2.0
"""Names that numpy had in TensorFlow 1.x's time and has no more, for programs of then."""
import warnings

_PLAIN = {'bool': bool, 'int': int, 'float': float, 'complex': complex, 'object': object,
          'str': str, 'long': int, 'unicode': str}
_RENAMED = {
    'float_': 'float64', 'complex_': 'complex128', 'string_': 'bytes_', 'unicode_': 'str_',
    'Inf': 'inf', 'Infinity': 'inf', 'infty': 'inf', 'PINF': 'inf', 'NaN': 'nan', 'NAN': 'nan',
    'product': 'prod', 'cumproduct': 'cumprod', 'alltrue': 'all', 'sometrue': 'any',
    'round_': 'round', 'row_stack': 'vstack', 'mat': 'asmatrix', 'longfloat': 'longdouble',
    'singlecomplex': 'complex64', 'cfloat': 'complex128',
}


def _has(numpy, name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return hasattr(numpy, name)


def install():
    """numpy gets back those of them that it lacks."""
    try:
        import numpy
    except ImportError:
        return
    for name, value in _PLAIN.items():
        if not _has(numpy, name):
            setattr(numpy, name, value)
    for name, now in _RENAMED.items():
        if not _has(numpy, name) and _has(numpy, now):
            setattr(numpy, name, getattr(numpy, now))
    if not _has(numpy, 'NINF'):
        numpy.NINF = -numpy.inf
    if not _has(numpy, 'asscalar'):
        numpy.asscalar = lambda a: a.item()
