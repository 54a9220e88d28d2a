# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1.x's graph mode on Leat: `import leat as tf`."""
