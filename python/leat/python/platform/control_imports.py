# SPDX-License-Identifier: Apache-2.0
"""Which of a build's parts are there: all that Leat has."""
USE_OSS = True
