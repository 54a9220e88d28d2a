# SPDX-License-Identifier: Apache-2.0
"""What estimators and models share when they are saved: so far the names of their modes."""
