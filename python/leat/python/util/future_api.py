# SPDX-License-Identifier: Apache-2.0
"""TensorFlow warns here of names that go away; there is nothing to ask for."""
