# SPDX-License-Identifier: Apache-2.0
"""What writes events to files."""
