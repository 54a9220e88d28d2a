# SPDX-License-Identifier: Apache-2.0
"""tf.profiler.ProfileOptionBuilder: the options of a profile, said a few at a time."""
import copy

from leat.python.profiler import tfprof_logger


def _options(**changed):
    options = {'max_depth': 10000, 'min_bytes': 0, 'min_micros': 0, 'min_params': 0,
               'min_float_ops': 0, 'min_occurrence': 0, 'order_by': 'name',
               'account_type_regexes': ['.*'], 'start_name_regexes': ['.*'],
               'trim_name_regexes': [], 'show_name_regexes': ['.*'], 'hide_name_regexes': [],
               'account_displayed_op_only': False, 'select': ['micros'], 'step': -1,
               'output': 'stdout'}
    options.update(changed)
    return options


class ProfileOptionBuilder(object):
    """What is shown of a profile: build() gives the dict that tf.profiler.profile takes."""

    def __init__(self, options=None):
        self._options = _options(max_depth=100) if options is None else copy.deepcopy(options)

    @staticmethod
    def trainable_variables_parameter():
        """The sizes of the trainable variables."""
        return _options(account_type_regexes=[tfprof_logger.TRAINABLE_VARIABLES],
                        account_displayed_op_only=True, select=['params'])

    @staticmethod
    def float_operation():
        """The numbers of floating point operations."""
        return _options(min_float_ops=1, select=['float_ops'], account_displayed_op_only=True,
                        order_by='float_ops')

    @staticmethod
    def time_and_memory(min_micros=1, min_bytes=1, min_accelerator_micros=0, min_cpu_micros=0,
                        min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """How long each took, and what memory."""
        return _options(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros,
                        min_cpu_micros=min_cpu_micros, min_bytes=min_bytes,
                        min_peak_bytes=min_peak_bytes, min_residual_bytes=min_residual_bytes,
                        min_output_bytes=min_output_bytes, account_displayed_op_only=True,
                        select=['micros', 'bytes'], order_by='micros')

    def build(self):
        return copy.deepcopy(self._options)

    def _set(self, **options):
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth):
        return self._set(max_depth=max_depth)

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0,
                        min_output_bytes=0):
        return self._set(min_bytes=min_bytes, min_peak_bytes=min_peak_bytes,
                         min_residual_bytes=min_residual_bytes, min_output_bytes=min_output_bytes)

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        return self._set(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros,
                         min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params):
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence):
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops):
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes):
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(self, start_name_regexes=None, show_name_regexes=None,
                        hide_name_regexes=None, trim_name_regexes=None):
        given = {'start_name_regexes': start_name_regexes, 'show_name_regexes': show_name_regexes,
                 'hide_name_regexes': hide_name_regexes, 'trim_name_regexes': trim_name_regexes}
        return self._set(**{k: copy.copy(v) for k, v in given.items() if v is not None})

    def account_displayed_op_only(self, is_true):
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self):
        return self._set(output='none')

    def with_stdout_output(self):
        return self._set(output='stdout')

    def with_file_output(self, outfile):
        return self._set(output='file:outfile=%s' % outfile)

    def with_timeline_output(self, timeline_file):
        return self._set(output='timeline:outfile=%s' % timeline_file)

    def with_pprof_output(self, pprof_file):
        return self._set(output='pprof:outfile=%s' % pprof_file)

    def order_by(self, attribute):
        return self._set(order_by=attribute)

    def select(self, attributes):
        return self._set(select=copy.copy(attributes))

    def with_step(self, step):
        return self._set(step=step)
