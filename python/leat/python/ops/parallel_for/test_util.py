# SPDX-License-Identifier: Apache-2.0
"""PForTestCase: what pfor gives beside what for_loop gives."""
from leat.python.framework import dtypes
from leat.python.framework import test_util
from leat.python.ops import variables
from leat.python.ops.parallel_for import control_flow_ops as pfor_control_flow_ops
from leat.python.util import nest


class PForTestCase(test_util.TensorFlowTestCase):
    """A test of loops."""

    def _run_targets(self, targets1, targets2=None, run_init=True):
        targets1 = nest.flatten(targets1)
        targets2 = [] if targets2 is None else nest.flatten(targets2)
        assert len(targets1) == len(targets2) or not targets2
        if run_init:
            self.evaluate(variables.global_variables_initializer())
        return self.evaluate(targets1 + targets2)

    def run_and_assert_equal(self, targets1, targets2, rtol=1e-4, atol=1e-5):
        outputs = self._run_targets(targets1, targets2)
        n = len(outputs) // 2
        for i in range(n):
            self.assertAllClose(outputs[i + n], outputs[i], rtol=rtol, atol=atol)

    def _test_loop_fn(self, loop_fn, iters, loop_fn_dtypes=dtypes.float32,
                      parallel_iterations=None):
        t1 = pfor_control_flow_ops.pfor(loop_fn, iters=iters,
                                        parallel_iterations=parallel_iterations)
        t2 = pfor_control_flow_ops.for_loop(loop_fn, loop_fn_dtypes, iters=iters,
                                            parallel_iterations=parallel_iterations)
        self.run_and_assert_equal(t1, t2)
