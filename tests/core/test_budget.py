"""The budget that a harness would use, and the rule told to people."""

from __future__ import annotations

import pytest

from dsh_lsp.core.budget import DEFAULT_BUDGET, host_budget


@pytest.mark.parametrize(
    ("host_says", "target_format", "context_window", "size", "told"),
    [
        (None, None, None, 65_536, "no log tells"),
        (None, 4, None, 65_536, "no log tells"),
        (None, 0, 1_000_000, 65_536, "format 0"),
        (None, 4, 1_000_000, 800_000, "a fifth of the context window of 1,000,000 tokens"),
        (None, 3, 131_072, 104_857, "131,072"),  # floored
        (None, None, 200_000, 160_000, "200,000"),
        (None, 4, 81_920, 65_536, "81,920"),  # exactly the least one
        (None, 4, 8_192, 65_536, "is less"),
        (131_072, 0, 8_192, 131_072, "harness"),
        (1, 4, 1_000_000, 1, "harness"),
        (0, 4, None, 65_536, "no log tells"),  # a host that says nonsense says nothing
        (-5, 0, None, 65_536, "format 0"),
    ],
)
def test_budgets(host_says, target_format, context_window, size, told):
    budget = host_budget(
        host_says=host_says, target_format=target_format, context_window=context_window
    )
    assert budget.size == size
    assert told in budget.rule


def test_the_default_is_64_kib():
    assert DEFAULT_BUDGET == 64 * 1024
