# SPDX-License-Identifier: Apache-2.0
"""word2vec's graph at fixed samples: lookups, sampled softmax against given candidates, nearest
words."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(9)
vocabulary, size, batch = 30, 8, 16
inputs = tf.placeholder(tf.int32, [batch])
labels = tf.placeholder(tf.int64, [batch, 1])
embeddings = tf.Variable(tf.random_uniform([vocabulary, size], -1., 1., seed=2), name='embeddings')
weights = tf.Variable(tf.truncated_normal([vocabulary, size], stddev=.3, seed=3))
biases = tf.Variable(tf.zeros([vocabulary]))
embed = tf.nn.embedding_lookup(embeddings, inputs)
sampled = (tf.constant([1, 5, 7, 9], tf.int64), tf.fill([batch, 1], .2), tf.fill([4], .1))
loss = tf.reduce_mean(tf.nn.nce_loss(weights=weights, biases=biases, labels=labels, inputs=embed,
                                     num_sampled=4, num_classes=vocabulary, sampled_values=sampled))
optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
similarity = tf.matmul(embeddings / norm, embeddings / norm, transpose_b=True)
_, nearest = tf.nn.top_k(similarity, k=4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        words = rng.randint(0, vocabulary, batch)
        _, value = sess.run([optimizer, loss], {inputs: words, labels: (words[:, None] + 1) % vocabulary})
        print(step, '%.4f' % value)
    print(sess.run(nearest)[:, 0].tolist())
