# SPDX-License-Identifier: Apache-2.0
"""SyncReplicasOptimizer: gradients of several workers are averaged before a step is taken.

Each worker adds its gradients to accumulators on the parameter servers; the chief's thread takes
their means when there are enough, applies them, and hands a token for the next step to each."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import data_flow_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging
from leat.python.training import optimizer
from leat.python.training import queue_runner_impl as queue_runner
from leat.python.training import session_manager
from leat.python.training import session_run_hook
from leat.python.util import deprecation


class SyncReplicasOptimizer(optimizer.Optimizer):
    """Another optimizer, fed with the means of the workers' gradients."""

    @deprecation.deprecated(
        None, 'The `SyncReplicaOptimizer` class is deprecated. For synchronous training, please '
        'use Distribution Strategies.')
    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None,
                 variable_averages=None, variables_to_average=None, use_locking=False,
                 name='sync_replicas'):
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        super(SyncReplicasOptimizer, self).__init__(use_locking, name)
        logging.info('SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s',
                     replicas_to_aggregate, total_num_replicas)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._gradients_applied = False
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._global_step = None
        self._sync_token_queue = None
        self._chief_queue_runner = None
        self._accumulator_list = []

    def compute_gradients(self, *args, **kwargs):
        return self._opt.compute_gradients(*args, **kwargs)

    def _make_local_step(self, global_step):
        """The step that this worker's gradients belong to, on the worker."""
        local_anchor = control_flow_ops.no_op()
        with ops.colocate_with(local_anchor):
            self._local_step = variable_scope.variable(
                initial_value=0, trainable=False, collections=[ops.GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype, name='sync_rep_local_step')
        self.local_step_init_op = state_ops.assign(self._local_step, global_step)

    def _accumulate(self, grad, var, train_ops):
        """The mean of a variable's gradients."""
        if isinstance(grad, ops.Tensor):
            accum = data_flow_ops.ConditionalAccumulator(
                grad.dtype, shape=var.get_shape(), shared_name=var.name + '/grad_accum')
            train_ops.append(accum.apply_grad(grad, local_step=self._local_step))
            mean = accum.take_grad(self._replicas_to_aggregate)
        else:
            if not isinstance(grad, ops.IndexedSlices):
                raise ValueError('Unknown grad type!')
            accum = data_flow_ops.SparseConditionalAccumulator(
                grad.dtype, shape=(), shared_name=var.name + '/grad_accum')
            train_ops.append(accum.apply_indexed_slices_grad(grad, local_step=self._local_step))
            mean = accum.take_indexed_slices_grad(self._replicas_to_aggregate)
        self._accumulator_list.append((accum, var.device))
        return mean

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The op that a worker runs for a step."""
        if not grads_and_vars:
            raise ValueError('Must supply at least one variable')
        if global_step is None:
            raise ValueError('Global step is required to check staleness')
        self._global_step = global_step
        train_ops, means, var_list = [], [], []
        self._make_local_step(global_step)
        chief_init_ops = [self.local_step_init_op]
        self.ready_for_local_init_op = variables.report_uninitialized_variables(
            variables.global_variables())
        with ops.name_scope(None, self._name):
            for grad, var in grads_and_vars:
                var_list.append(var)
                with ops.device(var.device):
                    means.append(None if grad is None
                                 else self._accumulate(grad, var, train_ops))
            with ops.device(global_step.device), ops.name_scope(''):
                update_op = self._opt.apply_gradients(zip(means, var_list), global_step)
            train_op = self._make_tokens(global_step, train_ops, update_op)
            for accum, dev in self._accumulator_list:
                with ops.device(dev):
                    chief_init_ops.append(accum.set_global_step(global_step,
                                                                name='SetGlobalStep'))
            self.chief_init_op = control_flow_ops.group(*chief_init_ops)
            self._gradients_applied = True
            return train_op

    def _make_tokens(self, global_step, train_ops, update_op):
        """The queue of tokens: workers wait for one, the chief puts them in after its update."""
        with ops.device(global_step.device), ops.name_scope(''):
            self._sync_token_queue = data_flow_ops.FIFOQueue(
                -1, global_step.dtype.base_dtype, shapes=(), name='sync_token_q',
                shared_name='sync_token_q')
        # The runner closes its queue; the tokens' must stay open for other workers.
        with ops.name_scope(''):
            dummy_queue = data_flow_ops.FIFOQueue(1, dtypes.int32, shapes=(), name='dummy_queue',
                                                  shared_name='dummy_queue')
        with ops.device(global_step.device), ops.name_scope(''):
            with ops.control_dependencies(train_ops):
                token = self._sync_token_queue.dequeue()
            train_op = state_ops.assign(self._local_step, token)
            with ops.control_dependencies([update_op]):
                # The step after the update: a read of a reference might be from before it.
                step = update_op.outputs[0] if update_op.outputs else global_step
                tokens = array_ops.fill([self._tokens_per_step], step)
                sync_op = self._sync_token_queue.enqueue_many((tokens,))
            if self._variable_averages is not None:
                with ops.control_dependencies([sync_op]), ops.name_scope(''):
                    sync_op = self._variable_averages.apply(self._variables_to_average)
            self._chief_queue_runner = queue_runner.QueueRunner(dummy_queue, [sync_op])
        return train_op

    def get_chief_queue_runner(self):
        """The runner whose thread the chief starts."""
        if self._gradients_applied is False:
            raise ValueError('Should be called after apply_gradients().')
        return self._chief_queue_runner

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def variables(self):
        return self._opt.variables()

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def get_init_tokens_op(self, num_tokens=-1):
        """The op that puts the first tokens in, which the chief runs once."""
        if self._gradients_applied is False:
            raise ValueError('get_init_tokens_op() should be called after apply_gradients().')
        tokens_needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < tokens_needed:
            raise ValueError('Too few tokens to finish the first step: %d (given) vs %d (needed)'
                             % (num_tokens, tokens_needed))
        if num_tokens > 0:
            with ops.device(self._global_step.device), ops.name_scope(''):
                tokens = array_ops.fill([num_tokens], self._global_step)
                return self._sync_token_queue.enqueue_many((tokens,))
        return control_flow_ops.no_op(name='no_init_tokens')

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """The hook that initializes, and on the chief starts the thread."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(session_run_hook.SessionRunHook):
    """Does for monitored sessions what Supervisor's programs do themselves."""

    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self):
        if self._sync_optimizer._gradients_applied is False:
            raise ValueError('SyncReplicasOptimizer.apply_gradient should be called before using '
                             'the hook.')
        self._ready_for_local_init_op = self._sync_optimizer.ready_for_local_init_op
        if self._is_chief:
            self._local_init_op = self._sync_optimizer.chief_init_op
            self._q_runner = self._sync_optimizer.get_chief_queue_runner()
            self._init_tokens_op = self._sync_optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._local_init_op = self._sync_optimizer.local_step_init_op
            self._q_runner = None
            self._init_tokens_op = None

    def after_create_session(self, session, coord):
        success, msg = session_manager._ready(
            self._ready_for_local_init_op, session,
            'Model is not ready for SyncReplicasOptimizer local init.')
        if not success:
            raise RuntimeError(
                'Init operations did not make model ready for SyncReplicasOptimizer local_init. '
                'Init op: %s, error: %s' % (self._local_init_op.name, msg))
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
