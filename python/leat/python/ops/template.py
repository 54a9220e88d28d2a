# SPDX-License-Identifier: Apache-2.0
"""Functions that share their variables from call to call."""
import functools
import traceback

from leat.python.framework import ops
from leat.python.ops import variable_scope
from leat.python.platform import tf_logging as logging
from leat.python.util import tf_decorator


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None,
                  **kwargs):
    """func_, whose first call makes its variables, and whose others use them."""
    return make_template_internal(name_, func_, create_scope_now_, unique_name_, custom_getter_,
                                  create_graph_function_=False, **kwargs)


def make_template_internal(name_, func_, create_scope_now_=False, unique_name_=None,
                           custom_getter_=None, create_graph_function_=False, **kwargs):
    del create_graph_function_
    if kwargs:
        func_ = tf_decorator.make_decorator(func_, functools.partial(func_, **kwargs))
    return Template(name_, func_, create_scope_now=create_scope_now_, unique_name=unique_name_,
                    custom_getter=custom_getter_)


def _skip_common_stack_elements(stacktrace, base_case):
    for i, (trace, base) in enumerate(zip(stacktrace, base_case)):
        if trace != base:
            return stacktrace[i:]
    return stacktrace[-1:]


class Template(object):
    """A function and its variable scope."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None,
                 create_graph_function=False):
        del create_graph_function
        self._func = func
        self._stacktrace = traceback.format_stack()[:-2]
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        if name is None:
            raise ValueError('name cannot be None.')
        if create_scope_now:
            with variable_scope._pure_variable_scope(
                    self._unique_name or variable_scope._get_unique_variable_scope(self._name),
                    custom_getter=self._custom_getter) as vs:
                self._variable_scope = vs
        else:
            self._variable_scope = None
        self._variables_created = False

    def _call_func(self, args, kwargs):
        try:
            if self._variables_created:
                before = self._count()
                result = self._func(*args, **kwargs)
                if self._count() != before:
                    logging.info('New variables created when calling a template after the first '
                                 'time, perhaps you used tf.Variable when you meant '
                                 'tf.get_variable: %s', self._variable_scope.name)
                return result
            result = self._func(*args, **kwargs)
            self._variables_created = True
            return result
        except Exception as exc:
            args = exc.args
            arg0 = args[0] if args else ''
            trace = ''.join(_skip_common_stack_elements(self._stacktrace,
                                                        traceback.format_stack()))
            exc.args = ('%s\n\noriginally defined at:\n%s' % (arg0, trace),) + args[1:]
            raise

    def _count(self):
        return len(ops.get_collection_ref(ops.GraphKeys.GLOBAL_VARIABLES))

    def __call__(self, *args, **kwargs):
        if self._variable_scope:
            if not self._variables_created:
                with variable_scope.variable_scope(self._variable_scope, reuse=False):
                    return self._call_func(args, kwargs)
            with variable_scope.variable_scope(self._variable_scope, reuse=True):
                return self._call_func(args, kwargs)
        with variable_scope.variable_scope(self._unique_name, self._name,
                                           custom_getter=self._custom_getter) as vs:
            self._variable_scope = vs
            return self._call_func(args, kwargs)

    @property
    def name(self):
        return self._name

    @property
    def func(self):
        return self._func

    @property
    def variable_scope(self):
        return self._variable_scope

    @property
    def variable_scope_name(self):
        """The scope's name; with a slash where it ends in one."""
        if self._variable_scope:
            name = self._variable_scope.name
            if not name or name[-1] == '/':
                return name
            return name + '/'
        return None

    @property
    def var_scope(self):
        return self._variable_scope

    def _of(self, key):
        return ops.get_collection(key, scope=self.variable_scope_name)

    @property
    def global_variables(self):
        return self._of(ops.GraphKeys.GLOBAL_VARIABLES) if self._variable_scope else []

    @property
    def local_variables(self):
        return self._of(ops.GraphKeys.LOCAL_VARIABLES) if self._variable_scope else []

    @property
    def variables(self):
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self):
        return self._of(ops.GraphKeys.TRAINABLE_VARIABLES) if self._variable_scope else []

    @property
    def non_trainable_variables(self):
        trainable = set(self.trainable_variables)
        return [v for v in self.variables if v not in trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables
