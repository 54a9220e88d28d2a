# SPDX-License-Identifier: Apache-2.0
"""tf.compat.forward_compatible: dates until which graphs must be read by older programs."""
import contextlib
import datetime

_horizon = datetime.date(2019, 8, 21)


def forward_compatible(year, month, day):
    """Whether that day lies before the horizon: newer ops may be used."""
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year, month, day):
    """The day before that is today, inside."""
    global _horizon
    saved, _horizon = _horizon, datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = saved
