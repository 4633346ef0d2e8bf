"""How hypothesis runs here: machines may be slow and shared, so no example is timed.

What tests cache is thrown away, so that nothing of it mixes with the cache of who runs them.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

from tests.support.no_host import NO_HOST

_CACHE = tempfile.mkdtemp(prefix="dsh-lsp-cache-")

os.environ.update(NO_HOST, XDG_CACHE_HOME=_CACHE)

settings.register_profile("dsh-lsp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dsh-lsp")


def pytest_unconfigure() -> None:
    """All tests have ended."""
    shutil.rmtree(_CACHE, ignore_errors=True)
