# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification: wrappers of its ops."""
from leat.python.framework import dtypes
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import gen_ctc_ops
from leat.python.ops import math_ops
from leat.python.util import deprecation


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False,
             ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, time_major=True,
             logits=None):
    """The loss of sequences whose alignment to labels is not known."""
    inputs = deprecation.deprecated_argument_lookup('logits', logits, 'inputs', inputs)
    if not isinstance(labels, sparse_tensor.SparseTensor):
        raise TypeError('Expected labels (first argument) to be a SparseTensor')
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    loss, _ = gen_ctc_ops.ctc_loss(
        inputs, labels.indices, labels.values, sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)
    return loss


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """([the decoded], negative sums of logits) of the best class of each step."""
    indices, values, shape, log_probabilities = gen_ctc_ops.ctc_greedy_decoder(
        inputs, sequence_length, merge_repeated=merge_repeated)
    return [sparse_tensor.SparseTensor(indices, values, shape)], log_probabilities


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1,
                            merge_repeated=True):
    """(the best decodings, their log probabilities)."""
    indices, values, shapes, log_probabilities = gen_ctc_ops.ctc_beam_search_decoder(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths,
        merge_repeated=merge_repeated)
    return ([sparse_tensor.SparseTensor(i, v, s) for i, v, s in zip(indices, values, shapes)],
            log_probabilities)


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)


def dense_labels_to_sparse(dense, length):
    """Rows of labels of given lengths as a SparseTensor."""
    flat = array_ops.reshape(dense, [-1])
    mask = array_ops.reshape(array_ops.sequence_mask(
        length, maxlen=array_ops.shape(dense)[1]), [-1])
    places = math_ops.range(math_ops.cast(array_ops.shape(flat)[0], dtypes.int64))
    kept = array_ops.boolean_mask(places, mask)
    columns = math_ops.cast(array_ops.shape(dense)[1], dtypes.int64)
    indices = array_ops.stack([kept // columns, kept % columns], axis=1)
    return sparse_tensor.SparseTensor(
        indices=indices, values=array_ops.gather(flat, kept),
        dense_shape=array_ops.shape(dense, out_type=dtypes.int64))


