"""What a glance at a store sees, and that it opens and lists little for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from dsh_lsp.sessions import glance
from dsh_lsp.sessions.inventory import Inventory
from tests.support.log_script import Script
from tests.support.store_writer import write_log


def put(root: Path, session_id: str, turns: int = 1, cwd: str = "/home/dev/proj") -> Path:
    script = Script(session_id, version=4, cwd=cwd)
    for turn in range(turns):
        script.exchange(f"q{turn}", "a")
    return write_log(root, script)


def ids(inventory: Inventory) -> set[str]:
    return {entry.header.id for entry in inventory.glance().sessions}


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    for session_id in ("a", "b"):
        put(tmp_path, session_id)
    seen = Inventory(tmp_path)
    seen.refresh()
    return seen


def test_a_store_that_did_not_change_gives_the_same_listing(inventory):
    first = inventory.glance()
    assert inventory.glance() is first
    assert inventory.refresh() is first


def test_sessions_that_come_and_go_are_seen(tmp_path, inventory):
    put(tmp_path, "c")
    assert ids(inventory) == {"a", "b", "c"}
    put(tmp_path, "d", cwd="/new")
    assert ids(inventory) == {"a", "b", "c", "d"}
    shutil.rmtree(put(tmp_path, "c", turns=2).parent)
    assert ids(inventory) == {"a", "b", "d"}
    shutil.rmtree(put(tmp_path, "d", turns=2, cwd="/new").parents[1])
    assert ids(inventory) == {"a", "b"}


def test_a_folder_that_gets_its_log_later_is_seen(tmp_path, inventory):
    folder = put(tmp_path / "elsewhere", "late").parent
    place = tmp_path / folder.parent.name / "late"
    place.mkdir()
    assert ids(inventory) == {"a", "b"}
    shutil.copytree(folder, place, dirs_exist_ok=True)
    assert ids(inventory) == {"a", "b", "late"}


def test_what_stays_as_it_is_is_not_put_together_again(tmp_path, inventory, monkeypatch):
    shutil.rmtree(put(tmp_path, "a", turns=2).parent)
    project = put(tmp_path, "b", turns=2).parents[1]
    (project / "empty").mkdir()
    seen = inventory.glance()
    monkeypatch.setattr("dsh_lsp.sessions.inventory.put_together", None)
    assert inventory.glance() is seen
    monkeypatch.undo()
    assert ids(inventory) == {"b"}
    put(tmp_path, "a")
    assert ids(inventory) == {"a", "b"}


def revisions(inventory: Inventory) -> dict[str, str]:
    return {entry.header.id: entry.revision for entry in inventory.glance().sessions}


def test_a_log_that_grows_is_seen(tmp_path, inventory):
    before = revisions(inventory)
    put(tmp_path, "a", turns=5)
    assert {key for key, value in revisions(inventory).items() if value != before[key]} == {"a"}


def test_of_many_logs_the_ones_written_last_and_the_new_ones_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(glance, "RECENT", 1)
    for number, session_id in enumerate(("old", "new")):
        os.utime(put(tmp_path, session_id), (number, number))
    inventory = Inventory(tmp_path)
    inventory.refresh()
    before = revisions(inventory)
    for session_id in ("old", "new", "newer"):
        put(tmp_path, session_id, turns=2)
    first = revisions(inventory)
    assert {key for key, value in first.items() if value != before.get(key)} == {"new", "newer"}
    put(tmp_path, "newer", turns=3)
    assert revisions(inventory)["newer"] != first["newer"]
    inventory.refresh()
    assert revisions(inventory)["old"] != before["old"]


def test_a_store_that_is_not_there_yet_and_then_is(tmp_path):
    inventory = Inventory(tmp_path / "sessions")
    assert ids(inventory) == set()
    put(tmp_path / "sessions", "a")
    assert ids(inventory) == {"a"}
    shutil.rmtree(tmp_path / "sessions")
    inventory.glance()
    assert inventory.refresh().sessions == ()


def test_a_project_that_cannot_be_listed_costs_only_itself(tmp_path, inventory):
    put(tmp_path, "c", cwd="/other")
    assert ids(inventory) == {"a", "b", "c"}
    project = put(tmp_path, "c", cwd="/other").parents[1]
    shutil.rmtree(project)
    project.write_text("a file in a project's place")
    assert ids(inventory) == {"a", "b"}


def test_only_changed_projects_are_listed(tmp_path, inventory, monkeypatch):
    put(tmp_path, "c", cwd="/other")
    inventory.glance()
    listed: list[str] = []
    real = os.listdir

    def listdir(path):
        listed.append(Path(path).name)
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    inventory.glance()
    assert listed == []
    put(tmp_path, "d", cwd="/other")
    inventory.glance()
    assert listed == ["--other--"]
