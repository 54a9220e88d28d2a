# SPDX-License-Identifier: Apache-2.0
"""Where programs import from."""
