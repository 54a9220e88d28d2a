# SPDX-License-Identifier: Apache-2.0
"""The element types of tensors: tf.float32 and its like, and the way from and to numpy's types.

One row of _ROWS is one type; everything else here follows from it. bfloat16 is ml_dtypes' type
where that package is there, and otherwise its bits, as numpy.uint16.
"""
import builtins

import numpy as np

from leat.python.util.tf_export import tf_export

_REF = 100

# number, name, numpy type, kind: f(loat), i(nteger), u(nsigned), c(omplex), b(ool), q(uantised),
# s(tring), o(ther)
_ROWS = (
    (1, 'float32', np.float32, 'f'), (2, 'float64', np.float64, 'f'),
    (3, 'int32', np.int32, 'i'), (4, 'uint8', np.uint8, 'u'),
    (5, 'int16', np.int16, 'i'), (6, 'int8', np.int8, 'i'),
    (7, 'string', object, 's'), (8, 'complex64', np.complex64, 'c'),
    (9, 'int64', np.int64, 'i'), (10, 'bool', builtins.bool, 'b'),
    (11, 'qint8', np.dtype([('qint8', np.int8)]), 'q'),
    (12, 'quint8', np.dtype([('quint8', np.uint8)]), 'q'),
    (13, 'qint32', np.dtype([('qint32', np.int32)]), 'q'),
    (14, 'bfloat16', None, 'f'),
    (15, 'qint16', np.dtype([('qint16', np.int16)]), 'q'),
    (16, 'quint16', np.dtype([('quint16', np.uint16)]), 'q'),
    (17, 'uint16', np.uint16, 'u'), (18, 'complex128', np.complex128, 'c'),
    (19, 'float16', np.float16, 'f'), (20, 'resource', None, 'o'),
    (21, 'variant', None, 'o'), (22, 'uint32', np.uint32, 'u'), (23, 'uint64', np.uint64, 'u'),
)
_BFLOAT16 = 14
_BFLOAT16_MAX = float.fromhex('0x1.fep127')
_KINDS = {row[0]: row[3] for row in _ROWS}
_TYPE_TO_STRING = {row[0]: row[1] for row in _ROWS}
_TYPE_TO_STRING.update({row[0] + _REF: row[1] + '_ref' for row in _ROWS})
_TF_TO_NP = {row[0]: row[2] for row in _ROWS if row[2] is not None}
_TF_TO_NP.update({number + _REF: kind for number, kind in list(_TF_TO_NP.items())})

# What a graph clamps images to: floats count from 0 to 1.
dtype_range = {
    np.bool_: (False, True), np.uint8: (0, 255), np.uint16: (0, 65535), np.int8: (-128, 127),
    np.int16: (-32768, 32767), np.int64: (-2**63, 2**63 - 1), np.uint64: (0, 2**64 - 1),
    np.int32: (-2**31, 2**31 - 1), np.uint32: (0, 2**32 - 1), np.float32: (-1, 1),
    np.float64: (-1, 1),
}


def _bfloat16_type():
    """The numpy type of bfloat16 values; looked for once, when first asked."""
    found = _TF_TO_NP.get(_BFLOAT16)
    if found is None:
        try:
            from ml_dtypes import bfloat16 as found
            _NP_TO_TF[found] = _INTERN_TABLE[_BFLOAT16]
        except ImportError:
            found = np.uint16
        _TF_TO_NP[_BFLOAT16] = _TF_TO_NP[_BFLOAT16 + _REF] = found
    return found


@tf_export('dtypes.DType', 'DType')
class DType:
    """The type of a tensor's elements; those of references (of variables) have names in _ref."""

    __slots__ = ('_type_enum', '_kind', '_name', '__weakref__')

    def __init__(self, type_enum):
        type_enum = int(type_enum)
        if type_enum not in _TYPE_TO_STRING:
            raise TypeError('type_enum is not a valid types_pb2.DataType: %s' % type_enum)
        self._type_enum = type_enum
        self._kind = _KINDS[type_enum % _REF]
        self._name = _TYPE_TO_STRING[type_enum]

    @property
    def _is_ref_dtype(self):
        return self._type_enum > _REF

    @property
    def _as_ref(self):
        return self if self._type_enum > _REF else _INTERN_TABLE[self._type_enum + _REF]

    @property
    def base_dtype(self):
        """The type of the values, for a reference; itself otherwise."""
        return _INTERN_TABLE[self._type_enum - _REF] if self._type_enum > _REF else self

    @property
    def real_dtype(self):
        """The type of the parts of a complex number; itself otherwise."""
        if self._kind != 'c':
            return self
        return _INTERN_TABLE[1 if self._type_enum % _REF == 8 else 2]

    @property
    def is_numpy_compatible(self):
        return self._kind != 'o'

    @property
    def as_numpy_dtype(self):
        """The numpy type: a scalar type, or a dtype with one field for the quantised ones."""
        if self._type_enum % _REF == _BFLOAT16:
            return _bfloat16_type()
        return _TF_TO_NP[self._type_enum]

    @property
    def as_datatype_enum(self):
        return self._type_enum

    @property
    def is_bool(self):
        return self._kind == 'b'

    @property
    def is_integer(self):
        """Whether it counts: signed or unsigned, not quantised."""
        return self._kind in 'iu'

    @property
    def is_floating(self):
        return self._kind == 'f'

    @property
    def is_complex(self):
        return self._kind == 'c'

    @property
    def is_quantized(self):
        return self._kind == 'q'

    @property
    def is_unsigned(self):
        return self._kind == 'u'

    def _extreme(self, which, word):
        if self._kind == 'f':
            if self._type_enum % _REF == _BFLOAT16:
                sign = -1.0 if which == 'min' else 1.0
                kind = _bfloat16_type()
                return (np.float32 if kind is np.uint16 else kind)(sign * _BFLOAT16_MAX)
            return getattr(np.finfo(self.as_numpy_dtype), which)
        if self._kind in 'iu':
            return getattr(np.iinfo(self.as_numpy_dtype), which)
        raise TypeError('Cannot find %s value of %s.' % (word, self))

    @property
    def min(self):
        """The least value that the type holds."""
        return self._extreme('min', 'minimum')

    @property
    def max(self):
        """The greatest value that the type holds."""
        return self._extreme('max', 'maximum')

    @property
    def limits(self, clip_negative=True):
        """The range of an image's values in this type, from 0 up."""
        low, high = dtype_range[self.as_numpy_dtype]
        return (0 if clip_negative else low), high

    def is_compatible_with(self, other):
        """Whether a value of other, or of what it refers to, may stand where this is asked for."""
        other = as_dtype(other)
        return self._type_enum in (other._type_enum, other.base_dtype._type_enum)

    def __eq__(self, other):
        if other is self:
            return True
        if type(other) is not DType:
            if other is None:
                return False
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self._type_enum == other._type_enum

    def __ne__(self, other):
        return not self.__eq__(other)

    @property
    def name(self):
        return self._name

    def __str__(self):
        return "<dtype: '%s'>" % self._name

    def __repr__(self):
        return 'tf.' + self._name

    def __hash__(self):
        return self._type_enum

    def __reduce__(self):
        return as_dtype, (self._name,)

    @property
    def size(self):
        """Bytes of one element; that of a pointer for strings, 1 for handles."""
        return 1 if self._kind == 'o' else np.dtype(self.as_numpy_dtype).itemsize


_INTERN_TABLE = {number: DType(number) for number in _TYPE_TO_STRING}
_STRING_TO_TF = {name: _INTERN_TABLE[number] for number, name in _TYPE_TO_STRING.items()}
for _alias, _of in (('half', 'float16'), ('float', 'float32'), ('double', 'float64')):
    _STRING_TO_TF[_alias] = _STRING_TO_TF[_of]
    _STRING_TO_TF[_alias + '_ref'] = _STRING_TO_TF[_of + '_ref']

# The constants: float32, float32_ref, half, ...
globals().update({_name: _dtype for _name, _dtype in _STRING_TO_TF.items()
                  if _name not in ('float', 'float_ref')})

_PYTHON_TO_TF = {builtins.float: _STRING_TO_TF['float32'], builtins.bool: _STRING_TO_TF['bool'],
                 object: _STRING_TO_TF['string']}
_NP_TO_TF = {row[2]: _INTERN_TABLE[row[0]] for row in _ROWS
             if row[2] is not None and row[3] not in 'bs'}
_NP_TO_TF.update({
    np.bool_: _STRING_TO_TF['bool'], np.object_: _STRING_TO_TF['string'],
    np.bytes_: _STRING_TO_TF['string'], np.str_: _STRING_TO_TF['string'],
    np.longlong: _STRING_TO_TF['int64'], np.ulonglong: _STRING_TO_TF['uint64'],
})
if np.dtype(np.intc).itemsize == 4:
    _NP_TO_TF[np.intc] = _STRING_TO_TF['int32']
    _NP_TO_TF[np.uintc] = _STRING_TO_TF['uint32']

QUANTIZED_DTYPES = frozenset(_INTERN_TABLE[number + ref] for number in _KINDS for ref in (0, _REF)
                             if _KINDS[number] == 'q')
_QUANTIZED_DTYPES_NO_REF = frozenset(t for t in QUANTIZED_DTYPES if not t._is_ref_dtype)
_QUANTIZED_DTYPES_REF = frozenset(t for t in QUANTIZED_DTYPES if t._is_ref_dtype)
TF_VALUE_DTYPES = {_INTERN_TABLE[number] for number in _KINDS if _KINDS[number] != 'o'}
tf_export('dtypes.QUANTIZED_DTYPES', v1=['dtypes.QUANTIZED_DTYPES', 'QUANTIZED_DTYPES']
          ).export_constant(__name__, 'QUANTIZED_DTYPES')
np_resource = np.dtype([('resource', np.ubyte)])

_ANY_TO_TF = dict(_INTERN_TABLE)
_ANY_TO_TF.update(_STRING_TO_TF)
_ANY_TO_TF.update(_PYTHON_TO_TF)
_ANY_TO_TF.update(_NP_TO_TF)


def _from_numpy(value):
    """The type of a numpy dtype that no table has, or None."""
    if isinstance(value, np.dtype):
        if value.names is None:
            found = _NP_TO_TF.get(value.type)
            if found is not None:
                return found
    elif not isinstance(value, type):
        return None
    if getattr(value, 'name', getattr(value, '__name__', None)) == 'bfloat16':
        kind = _bfloat16_type()
        if getattr(value, 'type', value) is kind:
            return _INTERN_TABLE[_BFLOAT16]
    return None


@tf_export('dtypes.as_dtype', 'as_dtype')
def as_dtype(type_value):
    """The DType of a DType, its number or name, a numpy type or dtype, or float, bool, object."""
    if type(type_value) is DType:
        return _INTERN_TABLE[type_value._type_enum]
    found = _ANY_TO_TF.get(type_value)
    if found is None:
        found = _from_numpy(type_value)
    if found is None and hasattr(type_value, 'dtype') and not isinstance(type_value, type):
        try:
            found = _from_numpy(np.dtype(type_value.dtype))
        except TypeError:
            found = None
    if found is None:
        raise TypeError('Cannot convert value %r to a TensorFlow DType.' % (type_value,))
    return found
