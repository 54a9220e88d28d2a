# SPDX-License-Identifier: Apache-2.0
"""Samples of classes for losses that do not look at all of them."""
from leat.python.framework import random_seed
from leat.python.ops import array_ops  # noqa: F401  (as TensorFlow's module has it)
from leat.python.ops import gen_candidate_sampling_ops
from leat.python.ops import math_ops  # noqa: F401


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None,
                              name=None):
    """Classes of equal chance, and the counts expected of them and of the true ones."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, seed=seed1, seed2=seed2,
        name=name)


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                  seed=None, name=None):
    """Classes whose chance falls as Zipf's law."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.log_uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, seed=seed1, seed2=seed2,
        name=name)


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                      seed=None, name=None):
    """Classes by how often they were seen in training."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.learned_unigram_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, seed=seed1, seed2=seed2,
        name=name)


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max,
                                    vocab_file='', distortion=1.0, num_reserved_ids=0,
                                    num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    """Classes by given counts."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.fixed_unigram_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, vocab_file=vocab_file,
        distortion=distortion, num_reserved_ids=num_reserved_ids, num_shards=num_shards,
        shard=shard, unigrams=unigrams, seed=seed1, seed2=seed2, name=name)


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.all_candidate_sampler(
        true_classes, num_true, num_sampled, unique, seed=seed1, seed2=seed2, name=name)


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Where a sampled class is a true one."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_candidate_sampling_ops.compute_accidental_hits(
        true_classes, sampled_candidates, num_true, seed=seed1, seed2=seed2, name=name)
