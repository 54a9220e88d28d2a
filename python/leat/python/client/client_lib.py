# SPDX-License-Identifier: Apache-2.0
"""What programs import from the client side: sessions and errors."""
from leat.python.client.session import InteractiveSession, Session
from leat.python.framework import errors
from leat.python.framework.errors_impl import OpError
from leat.python.framework.ops import get_default_session

__all__ = ['InteractiveSession', 'OpError', 'Session', 'errors', 'get_default_session']
