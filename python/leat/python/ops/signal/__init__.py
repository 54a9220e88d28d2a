# SPDX-License-Identifier: Apache-2.0
"""tf.signal: Fourier transforms, windows, frames and what is made of them."""
