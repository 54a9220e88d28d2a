# SPDX-License-Identifier: Apache-2.0
"""Writes SavedModels as users of TensorFlow 2 do. Runs in the Python that has it, for saved_models.py:

    tf2_models.py FOLDER

FOLDER/NAME is a model, FOLDER/NAME.npz the inputs ("in NAME") and outputs ("out NAME") of a call of its
serving_default. The last word printed is TensorFlow's version.
"""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf


def write(folder, name, model, call, **inputs):
    """Saves the model, and what its signature gives."""
    path = os.path.join(folder, name)
    tf.saved_model.save(model, path, signatures=call)
    signature = tf.saved_model.load(path).signatures['serving_default']
    outputs = signature(**{k: tf.constant(v) for k, v in inputs.items()})
    np.savez(path + '.npz', **{'in ' + k: v for k, v in inputs.items()},
             **{'out ' + k: v.numpy() for k, v in outputs.items()})


class Turns(tf.Module):
    """A loop with a branch in it, as Python writes them."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable([0.5, -1.5, 2.0])
        self.names = tf.Variable(['even', 'odd'], trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, 'x'), tf.TensorSpec([], tf.int32, 'n')])
    def run(self, x, n):
        last = self.names[0]
        for i in tf.range(n):
            if i % 2 == 0:
                x = x * self.w
                last = self.names[0]
            else:
                x = tf.tanh(x) + tf.cast(i, tf.float32)
                last = self.names[1]
        return {'y': x, 'last': last}


def turns(folder, rng):
    m = Turns()
    write(folder, 'turns', m, m.run, x=rng.randn(4, 3).astype(np.float32), n=np.int32(5))


def keras_convolutions(folder, rng):
    layers = tf.keras.layers
    m = tf.keras.Sequential([
        layers.Input([8, 8, 3]), layers.Conv2D(6, 3, activation='relu'), layers.BatchNormalization(),
        layers.DepthwiseConv2D(3, padding='same'), layers.MaxPooling2D(2), layers.Flatten(),
        layers.Dropout(0.5), layers.Dense(5, activation='softmax')])
    m.compile('adam', 'sparse_categorical_crossentropy')
    x = rng.randn(16, 8, 8, 3).astype(np.float32)
    m.fit(x, rng.randint(0, 5, 16), epochs=2, verbose=0)
    write(folder, 'keras_convolutions', m, None, **{m.input_names[0]: x[:3]})


def keras_words(folder, rng):
    layers = tf.keras.layers
    m = tf.keras.Sequential([
        layers.Input([None], dtype=tf.int32), layers.Embedding(20, 6), layers.LSTM(7, return_sequences=True),
        layers.GRU(5), layers.Dense(2)])
    m.compile('sgd', 'mse')
    words = rng.randint(0, 20, [8, 9]).astype(np.int32)
    m.fit(words, rng.randn(8, 2), epochs=1, verbose=0)
    write(folder, 'keras_words', m, None, **{m.input_names[0]: words[:4]})


if __name__ == '__main__':
    tf.keras.utils.set_random_seed(3)
    for model in (turns, keras_convolutions, keras_words):
        model(sys.argv[1], np.random.RandomState(5))
    print(tf.__version__)
