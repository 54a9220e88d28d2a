# SPDX-License-Identifier: Apache-2.0
"""Objects whose parts are found by name."""
