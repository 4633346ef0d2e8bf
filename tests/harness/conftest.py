"""Tests of the embedded harness run on asyncio, as the language server does."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
