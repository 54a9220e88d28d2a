# SPDX-License-Identifier: Apache-2.0
"""Lecture "TensorFlow, another framework", slides "Basic Concepts: A Simple Graph": printing a
tensor."""
import tensorflow as tf
a = tf.add(3, 5)
print(a)  # What does this do?
