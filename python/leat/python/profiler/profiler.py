# SPDX-License-Identifier: Apache-2.0
"""tf.profiler's names, as tensorflow.python.profiler.profiler has them."""
from leat.core.profiler.tfprof_log_pb2 import OpLogProto
from leat.core.profiler.tfprof_output_pb2 import AdviceProto
from leat.core.profiler.tfprof_output_pb2 import GraphNodeProto
from leat.core.profiler.tfprof_output_pb2 import MultiGraphNodeProto
from leat.python.profiler.model_analyzer import advise
from leat.python.profiler.model_analyzer import profile
from leat.python.profiler.model_analyzer import Profiler
from leat.python.profiler.option_builder import ProfileOptionBuilder
from leat.python.profiler.tfprof_logger import write_op_log

__all__ = ['AdviceProto', 'GraphNodeProto', 'MultiGraphNodeProto', 'OpLogProto', 'Profiler',
           'ProfileOptionBuilder', 'advise', 'profile', 'write_op_log']
