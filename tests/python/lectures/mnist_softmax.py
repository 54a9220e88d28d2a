# SPDX-License-Identifier: Apache-2.0
"""Lecture "Diving into Machine Learning with TensorFlow", slides 36 to 40: softmax regression
on MNIST. Filled in: the data (files of the folder named), reshape=False and one_hot, feed_dict
for feed (run() takes no argument feed), printing every 100 iterations."""
import sys
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets(sys.argv[1], one_hot=True, reshape=False)
X = tf.placeholder(tf.float32, [None, 28, 28, 1])
W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
init = tf.initialize_all_variables()
# model
Y=tf.nn.softmax(tf.matmul(tf.reshape(X,[-1, 784]), W) + b)
# placeholder for correct answers
Y_ = tf.placeholder(tf.float32, [None, 10])
# loss function
cross_entropy = -tf.reduce_sum(Y_ * tf.log(Y))
# % of correct answers found in batch
is_correct = tf.equal(tf.argmax(Y,1), tf.argmax(Y_,1))
accuracy = tf.reduce_mean(tf.cast(is_correct,tf.float32))
optimizer = tf.train.GradientDescentOptimizer(0.003)
train_step = optimizer.minimize(cross_entropy)
sess = tf.Session()
sess.run(init)
for i in range(1000):
    # load batch of images and correct answers
    batch_X, batch_Y = mnist.train.next_batch(100)
    train_data={X: batch_X, Y_: batch_Y}
    # train
    sess.run(train_step, feed_dict=train_data)
    if i % 100 == 99:
        # success ? add code to print it
        a,c = sess.run([accuracy, cross_entropy],
                       feed_dict=train_data)
        print('batch', i + 1, a, c)
        # success on test data ?
        test_data={X:mnist.test.images, Y_:mnist.test.labels}
        a,c = sess.run([accuracy, cross_entropy],
                       feed_dict=test_data)
        print('test', i + 1, a, c)
