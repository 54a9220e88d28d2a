# SPDX-License-Identifier: Apache-2.0
"""Scaffold: the ops that a monitored session needs. Imported by monitored_session."""
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import resources
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging


class Scaffold(object):
    """What initializes, says that all is ready, summarises and saves; made where not given."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None,
                 ready_for_local_init_op=None, local_init_op=None, summary_op=None, saver=None,
                 copy_from_scaffold=None):
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError('copy_from_scaffold is not a Scaffold instance.')
            given = lambda value, name: (  # noqa: E731
                getattr(copy_from_scaffold, name) if value is None else value)
        else:
            given = lambda value, name: value  # noqa: E731
        self._init_op = given(init_op, 'init_op')
        self._ready_op = given(ready_op, 'ready_op')
        self._ready_for_local_init_op = given(ready_for_local_init_op, 'ready_for_local_init_op')
        self._local_init_op = given(local_init_op, 'local_init_op')
        self._summary_op = given(summary_op, 'summary_op')
        self._saver = given(saver, 'saver')
        self._init_feed_dict = given(init_feed_dict, 'init_feed_dict')
        own_init_fn = init_fn
        if copy_from_scaffold is not None and init_fn is None:
            self._init_fn = copy_from_scaffold.init_fn
        elif own_init_fn:
            self._init_fn = lambda sess: own_init_fn(self, sess)
        else:
            self._init_fn = None

    def finalize(self):
        """Makes what is missing, and the graph final."""
        from leat.python.training import saver as training_saver
        if self._init_op is None:
            self._init_op = self.get_or_default('init_op', ops.GraphKeys.INIT_OP,
                                                _default_init_op)
        if self._ready_op is None:
            self._ready_op = self.get_or_default('ready_op', ops.GraphKeys.READY_OP,
                                                 _default_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = self.get_or_default(
                'ready_for_local_init_op', ops.GraphKeys.READY_FOR_LOCAL_INIT_OP,
                _default_ready_for_local_init_op)
        if self._local_init_op is None:
            self._local_init_op = self.get_or_default(
                'local_init_op', ops.GraphKeys.LOCAL_INIT_OP, self.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = self.get_or_default('summary_op', ops.GraphKeys.SUMMARY_OP,
                                                   _merged_summaries)
        if self._saver is None:
            self._saver = training_saver._get_saver_or_default()
        self._saver.build()
        ops.get_default_graph().finalize()
        logging.info('Graph was finalized.')
        return self

    init_fn = property(lambda self: self._init_fn)
    init_op = property(lambda self: self._init_op)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    local_init_op = property(lambda self: self._local_init_op)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)
    init_feed_dict = property(lambda self: self._init_feed_dict)

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The collection's one element; else a new one, which is then in the collection."""
        elements = ops.get_collection(collection_key)
        if elements:
            if len(elements) > 1:
                raise RuntimeError(
                    'More than one item in the collection "%s". Please indicate which one to use '
                    'by passing it to the tf.Scaffold constructor as:  '
                    'tf.Scaffold(%s=item to use)' % (collection_key, arg_name))
            return elements[0]
        op = default_constructor()
        if op is not None:
            ops.add_to_collection(collection_key, op)
        return op

    @staticmethod
    def default_local_init_op():
        return control_flow_ops.group(
            variables.local_variables_initializer(), _tables_initializer(),
            resources.initialize_resources(resources.local_resources()))


def _tables_initializer():
    initializers = ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS)
    if initializers:
        return control_flow_ops.group(*initializers, name='init_all_tables')
    return control_flow_ops.no_op(name='init_all_tables')


def _merged_summaries():
    if not ops.get_collection(ops.GraphKeys.SUMMARIES):
        return None
    from leat.python.summary import summary
    return summary.merge_all()


def _default_init_op():
    return control_flow_ops.group(
        variables.global_variables_initializer(),
        resources.initialize_resources(resources.shared_resources()))


def _default_ready_op():
    return array_ops.concat([variables.report_uninitialized_variables(),
                             resources.report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op():
    return array_ops.concat([
        variables.report_uninitialized_variables(variables.global_variables()),
        resources.report_uninitialized_resources(resources.shared_resources())], 0)
