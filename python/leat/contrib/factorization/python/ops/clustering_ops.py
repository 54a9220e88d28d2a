# SPDX-License-Identifier: Apache-2.0
"""k-means in a graph: Lloyd's algorithm over whole batches, or Sculley's over parts of them.

TensorFlow has kernels of its own for the start and the nearest clusters; here they are built of
ops. The start by Markov chains (kmc2), and mini batches in several steps an iteration, are not
there."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_impl
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope

SQUARED_EUCLIDEAN_DISTANCE = 'squared_euclidean'
COSINE_DISTANCE = 'cosine'
RANDOM_INIT = 'random'
KMEANS_PLUS_PLUS_INIT = 'kmeans_plus_plus'
KMC2_INIT = 'kmc2'
CLUSTERS_VAR_NAME = 'clusters'
_EPSILON = 1e-6  # counts of clusters without points are not 0


class KMeans(object):
    """The graph that finds num_clusters centres of the rows of its inputs."""

    def __init__(self, inputs, num_clusters, initial_clusters=RANDOM_INIT,
                 distance_metric=SQUARED_EUCLIDEAN_DISTANCE, use_mini_batch=False,
                 mini_batch_steps_per_iteration=1, random_seed=0, kmeans_plus_plus_num_retries=2,
                 kmc2_chain_length=200):
        initial = initial_clusters
        if isinstance(initial, str) and initial not in (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT,
                                                        KMC2_INIT):
            raise ValueError("Unsupported initialization algorithm '%s'" % initial)
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError("Unsupported distance metric '%s'" % distance_metric)
        if isinstance(initial, str) and initial == KMC2_INIT:
            raise NotImplementedError('initial_clusters=\'kmc2\' is not there yet')
        if use_mini_batch and mini_batch_steps_per_iteration != 1:
            raise NotImplementedError('mini_batch_steps_per_iteration is 1 here')
        del kmeans_plus_plus_num_retries, kmc2_chain_length
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial
        self._distance_metric = distance_metric
        self._use_mini_batch = use_mini_batch
        self._seed = random_seed

    def _is_cosine(self):
        return self._distance_metric == COSINE_DISTANCE

    def _normalized(self, inputs):
        return [nn_impl.l2_normalize(ops.convert_to_tensor(x), axis=1) for x in inputs]

    def _infer_graph(self, inputs, clusters):
        """([distances to all], [nearest cluster], [distance to it]), each for each input."""
        every, nearest, least = [], [], []
        for inp in inputs:
            with ops.colocate_with(inp, ignore_existing=True):
                if self._is_cosine():  # the inputs are normalised
                    distances = 1 - math_ops.matmul(
                        inp, nn_impl.l2_normalize(clusters, axis=1), transpose_b=True)
                else:
                    distances = (math_ops.reduce_sum(math_ops.square(inp), 1, keepdims=True) -
                                 2 * math_ops.matmul(inp, clusters, transpose_b=True) +
                                 array_ops.transpose(math_ops.reduce_sum(
                                     math_ops.square(clusters), 1, keepdims=True)))
                    distances = math_ops.maximum(distances, 0.)
                scores, indices = nn_ops.top_k(-distances, k=1)
                every.append(distances)
                nearest.append(math_ops.cast(array_ops.squeeze(indices, [-1]), dtypes.int64))
                least.append(-array_ops.squeeze(scores, [-1]))
        return tuple(every), tuple(nearest), tuple(least)

    def _create_variables(self):
        dtype = self._inputs[0].dtype if tensor_util.is_tensor(self._inputs[0]) else dtypes.float32
        clusters = variable_scope.variable(constant_op.constant([], dtype=dtype),
                                           name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = variable_scope.variable(False, dtype=dtypes.bool, name='initialized')
        counts = variable_scope.variable(
            array_ops.ones([self._num_clusters], dtype=dtypes.int64)) \
            if self._use_mini_batch else None
        return clusters, initialized, counts

    # ---- the start ----

    def _chosen(self, data):
        """num_clusters rows of the data, or what the program gives."""
        if callable(self._initial_clusters):
            return ops.convert_to_tensor(self._initial_clusters(self._inputs, self._num_clusters))
        if not isinstance(self._initial_clusters, str):
            return ops.convert_to_tensor(self._initial_clusters)
        count = array_ops.shape(data)[0]
        enough = check_ops.assert_greater_equal(
            count, self._num_clusters, message='There are fewer rows than clusters.')
        with ops.control_dependencies([enough]):
            if self._initial_clusters == RANDOM_INIT:
                # Different rows, each as likely as others.
                order = random_ops.random_shuffle(math_ops.range(count), seed=self._seed)
                return array_ops.gather(data, order[:self._num_clusters])
            return self._far_apart(data, count)

    def _far_apart(self, data, count):
        """Each row as likely as it is far from those before (k-means++)."""
        first = random_ops.random_uniform([1], 0, count, dtype=dtypes.int32, seed=self._seed)
        chosen = array_ops.gather(data, first)
        distances = math_ops.reduce_sum(math_ops.squared_difference(data, chosen), axis=1)
        for i in range(1, self._num_clusters):
            row = random_ops.multinomial(math_ops.log(distances[array_ops.newaxis, :]), 1,
                                         seed=self._seed + i, output_dtype=dtypes.int32)[0]
            new = array_ops.gather(data, row)
            chosen = array_ops.concat([chosen, new], 0)
            distances = math_ops.minimum(distances, math_ops.reduce_sum(
                math_ops.squared_difference(data, new), axis=1))
        return chosen

    def _initializer(self, inputs, clusters, initialized):
        def start():
            data = inputs[0] if len(inputs) == 1 else array_ops.concat(inputs, 0)
            chosen = self._chosen(data)
            if self._is_cosine():
                chosen = nn_impl.l2_normalize(chosen, axis=1)
            assigned = state_ops.assign(clusters, chosen, validate_shape=False)
            with ops.control_dependencies([assigned.op]):
                return array_ops.identity(state_ops.assign(initialized, True))
        return control_flow_ops.cond(initialized, lambda: array_ops.identity(initialized), start)

    # ---- training ----

    def training_graph(self):
        """(distances, nearest clusters, distances to these, whether it has begun, the op that
        begins, the op that trains)"""
        inputs = [ops.convert_to_tensor(x) for x in self._inputs]
        if self._is_cosine():
            inputs = self._normalized(inputs)
        clusters, initialized, counts = self._create_variables()
        init_op = self._initializer(inputs, clusters, initialized)
        every, nearest, least = self._infer_graph(inputs, clusters)
        sums, numbers = self._totals(inputs, nearest)
        if self._use_mini_batch:
            train = self._mini_batch_training_op(sums, numbers, clusters, counts)
        else:
            means = sums / (math_ops.cast(numbers, sums.dtype) + constant_op.constant(
                _EPSILON, dtype=sums.dtype))[:, array_ops.newaxis]
            if self._is_cosine():
                means = nn_impl.l2_normalize(means, axis=1)
            train = state_ops.assign(clusters, means, validate_shape=False)
        return every, nearest, least, initialized, init_op, train

    def _totals(self, inputs, nearest):
        """(the sum of each cluster's rows, how many they are)"""
        sums = [math_ops.unsorted_segment_sum(x, i, self._num_clusters)
                for x, i in zip(inputs, nearest)]
        numbers = [math_ops.unsorted_segment_sum(array_ops.ones_like(i), i, self._num_clusters)
                   for i in nearest]
        return math_ops.add_n(sums), math_ops.add_n(numbers)

    @staticmethod
    def _mini_batch_training_op(sums, numbers, clusters, counts):
        """Each centre is the mean of all the rows that it has had."""
        new_counts = state_ops.assign_add(counts, numbers)
        with ops.control_dependencies([new_counts.op]):
            old = array_ops.identity(clusters)
            share = math_ops.reciprocal(math_ops.cast(new_counts, sums.dtype))[
                :, array_ops.newaxis]
            change = (sums - math_ops.cast(numbers, sums.dtype)[:, array_ops.newaxis] * old) * share
            return control_flow_ops.group(state_ops.assign_add(clusters, change))
