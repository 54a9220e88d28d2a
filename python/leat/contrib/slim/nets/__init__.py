# SPDX-License-Identifier: Apache-2.0
"""Networks for images, by name."""
