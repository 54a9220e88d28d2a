# SPDX-License-Identifier: Apache-2.0
"""There is no status bar."""


def SetupStatusBarInsideGoogle(unused_link_text, unused_port):
    """Does nothing."""
