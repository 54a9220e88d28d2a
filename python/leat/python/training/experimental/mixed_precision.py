# SPDX-License-Identifier: Apache-2.0
"""The rewrite of graphs to float16, which Leat does not have: the names, and an error."""


def enable_mixed_precision_graph_rewrite(opt, loss_scale='dynamic'):
    """Not there. MixedPrecisionLossScaleOptimizer scales the loss of graphs made in float16."""
    del opt, loss_scale
    raise NotImplementedError(
        'Leat does not rewrite graphs to float16; wrap the optimizer of a graph that is made in '
        'float16 in tf.train.experimental.MixedPrecisionLossScaleOptimizer')


def disable_mixed_precision_graph_rewrite():
    """The rewrite is never on: nothing to do."""


enable_mixed_precision_graph_rewrite_v1 = enable_mixed_precision_graph_rewrite
disable_mixed_precision_graph_rewrite_v1 = disable_mixed_precision_graph_rewrite
