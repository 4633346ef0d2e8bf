"""How a check says that the code under test refused its input."""

from __future__ import annotations

from typing import Any


class Refused(Exception):  # noqa: N818 - it is an expected result, not an error of the check
    """A refusal with its code (None: no code is checked) and the facts that a vector states."""

    def __init__(self, code: str | None, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts
