# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 53 to 62: word2vec with noise-
contrastive estimation, and the words nearest to some. Filled in: the text (a file's words, or
sentences made up of two kinds of words), generate_batch, the similarity of slides 56 and 61,
nearby. The labels and what they are compared with go by name: 1.15 takes them in the other
order."""
import collections
import math
import random
import sys

import numpy as np
import tensorflow as tf

random.seed(1)


def read_words():
    if len(sys.argv) > 1:
        with open(sys.argv[1], 'rb') as f:
            return f.read().split()
    animals = [b'cat', b'dog', b'kitten', b'puppy', b'rabbit', b'squirrel']
    offices = [b'government', b'parliament', b'crown', b'leaders', b'elections', b'regime']
    eats = [b'eats', b'sleeps', b'purrs', b'plays']
    rules = [b'rules', b'votes', b'decides', b'governs']
    words = []
    for _ in range(4000):
        kind, does = random.choice([(animals, eats), (offices, rules)])
        words += [random.choice(does), random.choice(kind), random.choice(does)]
    return words


words = read_words()
count = collections.Counter(words).most_common(5000)
dictionary = {word: i for i, (word, _) in enumerate(count)}
reverse_dictionary = {i: word for word, i in dictionary.items()}
data = [dictionary[word] for word in words if word in dictionary]
data_index = 0


def generate_batch(batch_size, num_skips, skip_window):
    global data_index
    batch = np.zeros([batch_size], np.int32)
    labels = np.zeros([batch_size, 1], np.int32)
    span = 2 * skip_window + 1
    for i in range(batch_size // num_skips):
        around = [data[(data_index + k) % len(data)] for k in range(span)]
        others = random.sample([k for k in range(span) if k != skip_window], num_skips)
        for j, other in enumerate(others):
            batch[i * num_skips + j] = around[skip_window]
            labels[i * num_skips + j, 0] = around[other]
        data_index = (data_index + 1) % len(data)
    return batch, labels


batch_size, embedding_size, skip_window, num_skips = 64, 32, 1, 2
vocabulary_size = len(dictionary)
num_sampled = min(8, vocabulary_size // 2)
valid_words = [b'cat', b'government']
valid_examples = [dictionary.get(word, 0) for word in valid_words]
num_steps = 1500

graph = tf.Graph()
with graph.as_default():
    # Input data.
    train_inputs = tf.placeholder(tf.int32, shape=[batch_size])
    train_labels = tf.placeholder(tf.int32, shape=[batch_size, 1])
    valid_dataset = tf.constant(valid_examples, dtype=tf.int32)
    # Ops and variables pinned to the CPU because of missing GPU implementation
    with tf.device('/cpu:0'):
        # Look up embeddings for inputs.
        embeddings = tf.Variable(
            tf.random_uniform([vocabulary_size, embedding_size], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        # Construct the variables for the NCE loss
        nce_weights = tf.Variable(
            tf.truncated_normal([vocabulary_size, embedding_size],
                                stddev=1.0 / math.sqrt(embedding_size)))
        nce_biases = tf.Variable(tf.zeros([vocabulary_size]))
    # Compute the average NCE loss for the batch.
    # tf.nce_loss automatically draws a new sample of the negative labels each
    # time we evaluate the loss.
    loss = tf.reduce_mean(
        tf.nn.nce_loss(nce_weights, nce_biases, inputs=embed, labels=train_labels,
                       num_sampled=num_sampled, num_classes=vocabulary_size))
    # Construct the SGD optimizer using a learning rate of 1.0.
    optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized_embeddings = embeddings / norm
    valid_embeddings = tf.nn.embedding_lookup(normalized_embeddings, valid_dataset)
    similarity = tf.matmul(valid_embeddings, normalized_embeddings, transpose_b=True)
    init = tf.global_variables_initializer()

with tf.Session(graph=graph) as session:
    init.run()
    losses = []
    for step in range(num_steps):
        batch_inputs, batch_labels = generate_batch(
            batch_size, num_skips, skip_window)
        feed_dict = {train_inputs : batch_inputs, train_labels : batch_labels}
        # We perform one update step by evaluating the optimizer op (including it
        # in the list of returned values for session.run()
        _, loss_val = session.run([optimizer, loss], feed_dict=feed_dict)
        losses.append(loss_val)
    print('loss', np.mean(losses[:100]), np.mean(losses[-100:]))
    sim = similarity.eval()
    for i, word in enumerate(valid_examples):
        nearest = (-sim[i]).argsort()[:6]
        print('Nearest to %s:' % reverse_dictionary[word])
        for other in nearest:
            print('   ', reverse_dictionary[other], '%.4f' % sim[i, other])
