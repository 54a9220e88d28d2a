# SPDX-License-Identifier: Apache-2.0
"""MNIST, as the tutorials read it: input_data."""
