"""How hypothesis runs here: machines may be slow and shared, so no example is timed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("dsh-lsp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dsh-lsp")
