# SPDX-License-Identifier: Apache-2.0
"""Ops of a library that is not there."""
