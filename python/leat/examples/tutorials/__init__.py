# SPDX-License-Identifier: Apache-2.0
"""The tutorials of which programs use a part."""
