"""Settings come in layers of any shape, and only some of them need new services."""

from __future__ import annotations

import pytest

from dsh_lsp.server.configuration import merged, rests_on_same
from dsh_lsp.settings import HarnessMode, Settings


def test_later_layers_win_key_by_key() -> None:
    settings, faults = merged(
        {"home": "/a", "hover": {"enabled": False}},
        {"dsh": {"home": "/b", "references": {"maxReferences": 2}}},
        {"home": None, "references": {"candidateLimit": 7}},
    )
    assert faults == ()
    assert settings.home == "/b"
    assert not settings.hover.enabled
    assert settings.references.max_references == 2
    assert settings.references.candidate_limit == 7


@pytest.mark.parametrize("nothing", [(), (None,), ({},), ({"dsh": None},), (None, {"dsh": {}})])
def test_no_settings_are_the_defaults(nothing: tuple[object, ...]) -> None:
    assert merged(*nothing) == (Settings(), ())


def test_a_wrong_shape_costs_its_layer_and_a_wrong_value_its_key() -> None:
    settings, faults = merged(
        [1], {"harness": {"mode": "embedded"}, "hover": {"enabled": "yes"}, "files": 3}
    )
    assert settings.harness.mode is HarnessMode.EMBEDDED
    assert settings.hover.enabled
    assert [fault.path for fault in faults] == ["dsh", "dsh.hover.enabled", "dsh.files"]


def test_only_what_services_rest_on_needs_new_ones() -> None:
    plain, _ = merged({})
    hidden, _ = merged({"hover": {"enabled": False}, "target": {"session": "x"}})
    moved, _ = merged({"home": "/elsewhere"})
    assert rests_on_same(plain, hidden)
    assert not rests_on_same(plain, moved)
