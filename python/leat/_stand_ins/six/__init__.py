# SPDX-License-Identifier: Apache-2.0
"""six, of which a program for Python 3 needs the names alone."""
import builtins as _builtins
import functools
import io
import operator
import types

PY2, PY3, PY34 = False, True, True
string_types, integer_types, class_types = (str,), (int,), (type,)
text_type, binary_type = str, bytes
MAXSIZE = (1 << 63) - 1
StringIO, BytesIO = io.StringIO, io.BytesIO
unichr, int2byte, byte2int = chr, lambda i: bytes((i,)), operator.itemgetter(0)
indexbytes, iterbytes = operator.getitem, iter
next = advance_iterator = _builtins.next
callable, print_, exec_ = _builtins.callable, _builtins.print, _builtins.exec
wraps = functools.wraps
get_method_function = operator.attrgetter('__func__')
get_method_self = operator.attrgetter('__self__')
get_function_closure = operator.attrgetter('__closure__')
get_function_code = operator.attrgetter('__code__')
get_function_defaults = operator.attrgetter('__defaults__')
get_function_globals = operator.attrgetter('__globals__')
create_bound_method = types.MethodType
Iterator = object


def b(s):
    return s.encode('latin-1')


def u(s):
    return s


def iterkeys(d, **kw):
    return iter(d.keys(**kw))


def itervalues(d, **kw):
    return iter(d.values(**kw))


def iteritems(d, **kw):
    return iter(d.items(**kw))


def viewkeys(d):
    return d.keys()


def viewvalues(d):
    return d.values()


def viewitems(d):
    return d.items()


def get_unbound_function(unbound):
    return unbound


def create_unbound_method(func, cls):
    del cls
    return func


def ensure_binary(s, encoding='utf-8', errors='strict'):
    return s.encode(encoding, errors) if isinstance(s, str) else s


def ensure_str(s, encoding='utf-8', errors='strict'):
    return s.decode(encoding, errors) if isinstance(s, bytes) else s


ensure_text = ensure_str


def reraise(tp, value, tb=None):
    if value is None:
        value = tp()
    raise value.with_traceback(tb)


def raise_from(value, from_value):
    raise value from from_value


def with_metaclass(meta, *bases):
    """A base whose class is meta."""
    return types.new_class('with_metaclass', bases, {'metaclass': meta}) if bases else meta(
        'with_metaclass', (), {})


def add_metaclass(metaclass):
    """The class made again by a metaclass."""
    def wrapper(cls):
        body = dict(cls.__dict__)
        for name in (*([cls.__slots__] if isinstance(body.get('__slots__'), str)
                       else body.get('__slots__', ())), '__dict__', '__weakref__'):
            body.pop(name, None)
        return metaclass(cls.__name__, cls.__bases__, body)
    return wrapper


def python_2_unicode_compatible(cls):
    return cls


def assertCountEqual(self, *args, **kwargs):
    return self.assertCountEqual(*args, **kwargs)


def assertRaisesRegex(self, *args, **kwargs):
    return self.assertRaisesRegex(*args, **kwargs)


def assertRegex(self, *args, **kwargs):
    return self.assertRegex(*args, **kwargs)


def __getattr__(name):
    if name == 'moves':
        import importlib
        return importlib.import_module('six.moves')
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
