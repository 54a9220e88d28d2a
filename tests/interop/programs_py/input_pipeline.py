# SPDX-License-Identifier: Apache-2.0
"""Records written, read by queue runners under a coordinator, decoded, batched until the end."""
import os
import sys

import numpy as np
import tensorflow as tf

path = os.path.join(sys.argv[1], 'data.tfrecords')


def _int64(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


with tf.python_io.TFRecordWriter(path) as writer:
    for i in range(10):
        image = np.full([2, 2], i, np.uint8)
        example = tf.train.Example(features=tf.train.Features(feature={
            'label': _int64(i % 3),
            'image_raw': tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()]))}))
        writer.write(example.SerializeToString())
print(sum(1 for _ in tf.python_io.tf_record_iterator(path)))

queue = tf.train.string_input_producer([path], num_epochs=2, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(serialized, features={
    'label': tf.FixedLenFeature([], tf.int64), 'image_raw': tf.FixedLenFeature([], tf.string)})
image = tf.reshape(tf.decode_raw(features['image_raw'], tf.uint8), [2, 2])
images, labels = tf.train.batch([tf.cast(image, tf.float32) / 255., features['label']], batch_size=4,
                                num_threads=1, capacity=20)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            a, b = sess.run([images, labels])
            print(a.shape, '%.4f' % a.sum(), b)
    except tf.errors.OutOfRangeError:
        print('Done training -- epoch limit reached')
    finally:
        coord.request_stop()
    coord.join(threads)
