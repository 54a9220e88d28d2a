# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification: wrappers of its ops."""
from leat.python.framework import dtypes
from leat.python.framework import ops
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




def _size(tensor, axis):
    """A size: a number where it is known, a tensor else."""
    known = tensor.shape[axis].value if tensor.shape.ndims is not None else None
    return array_ops.shape(tensor)[axis] if known is None else known


def collapse_repeated(labels, seq_length, name=None):
    """(labels without runs of an equal one, the new lengths of rows)."""
    with ops.name_scope(name, 'collapse_repeated_labels', [labels, seq_length]):
        labels = ops.convert_to_tensor(labels, name='labels')
        seq_length = ops.convert_to_tensor(seq_length, name='seq_length')
        kept = array_ops.concat([array_ops.ones_like(labels[:, :1], dtypes.bool),
                                 math_ops.not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        kept = math_ops.logical_and(
            kept, array_ops.sequence_mask(seq_length, maxlen=_size(labels, 1)))
        lengths = math_ops.reduce_sum(math_ops.cast(kept, dtypes.int32), axis=1)
        longest = math_ops.reduce_max(lengths)
        places = array_ops.sequence_mask(lengths, maxlen=longest)
        flat_labels = array_ops.reshape(labels, [-1])
        flat_kept = array_ops.reshape(kept, [-1])
        flat_places = array_ops.reshape(places, [-1])
        numbers = math_ops.range(_size(flat_places, 0))
        flat = array_ops.scatter_nd(
            indices=array_ops.expand_dims(array_ops.boolean_mask(numbers, flat_places), axis=1),
            updates=array_ops.boolean_mask(flat_labels, flat_kept),
            shape=array_ops.shape(flat_places))
        return (array_ops.reshape(flat, [_size(labels, 0), longest]),
                math_ops.cast(lengths, seq_length.dtype))


def ctc_unique_labels(labels, name=None):
    """(the unique labels of each row, padded, and the places of its labels among them)."""
    from leat.python.ops import map_fn

    def unique(row):
        values, places = array_ops.unique(row)
        values = array_ops.pad(values, [[0, _size(places, 0) - _size(values, 0)]])
        return [math_ops.cast(values, dtypes.int64), places]

    with ops.name_scope(name, 'ctc_unique_labels', [labels]):
        labels = ops.convert_to_tensor(labels, name='labels')
        return map_fn.map_fn(unique, labels, dtype=[dtypes.int64, dtypes.int32])


def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None,
                blank_index=None, name=None):
    """The loss of sequences; dense labels go to the same op as sparse ones.

    CTCLoss's blank is the last class; here it is `blank_index`, the first by
    default for dense labels, from the end where negative. `unique` only speeds
    TensorFlow's own way of computing this.
    """
    sparse = isinstance(labels, sparse_tensor.SparseTensor)
    if blank_index is None:
        if sparse:
            raise ValueError('blank_index must be given when using SparseTensor labels.')
        blank_index = 0
    with ops.name_scope(name, 'ctc_loss_dense' if not sparse else 'ctc_loss',
                        [logits, labels, label_length, logit_length]):
        logits = ops.convert_to_tensor(logits, name='logits')
        if not sparse:
            labels = dense_labels_to_sparse(ops.convert_to_tensor(labels, name='labels'),
                                            label_length)
        classes = _size(logits, 2)
        if blank_index < 0:
            blank_index += classes
        if not isinstance(blank_index, int) or blank_index != classes - 1:
            logits = array_ops.concat([logits[:, :, :blank_index], logits[:, :, blank_index + 1:],
                                       logits[:, :, blank_index:blank_index + 1]], axis=2)
            values = labels.values
            labels = sparse_tensor.SparseTensor(
                labels.indices, array_ops.where(values < blank_index, values, values - 1),
                labels.dense_shape)
        labels = sparse_tensor.SparseTensor(
            labels.indices, math_ops.cast(labels.values, dtypes.int32), labels.dense_shape)
        return ctc_loss(labels=labels, inputs=logits, sequence_length=logit_length,
                        time_major=logits_time_major)
