"""How hypothesis runs here: machines may be slow and shared, so no example is timed."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from tests.support.no_host import NO_HOST

os.environ.update(NO_HOST)

settings.register_profile("dsh-lsp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dsh-lsp")
