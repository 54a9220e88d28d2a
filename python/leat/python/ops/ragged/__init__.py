# SPDX-License-Identifier: Apache-2.0
"""The module paths of ragged tensors; there are none here yet, see docs/python-api.md."""
