# SPDX-License-Identifier: Apache-2.0
"""Layers as objects: the base class and what it asks of its inputs."""
