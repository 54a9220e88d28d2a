# SPDX-License-Identifier: Apache-2.0
"""Tags of the graphs in a SavedModel."""
EVAL = 'eval'
GPU = 'gpu'
SERVING = 'serve'
TPU = 'tpu'
TRAINING = 'train'
