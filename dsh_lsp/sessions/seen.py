"""Everything that was seen in a store at one time, put together from its places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import ReadFault
from dsh_lsp.sessions.query import Listing, ListingFault, SessionEntry
from dsh_lsp.sessions.scan import FoundLog, fault_at


@dataclass(frozen=True, slots=True)
class SeenSession:
    """A session's entry, its log, and what is wrong with the place of the log."""

    entry: SessionEntry
    log: FoundLog
    misplacement: ListingFault | None


Seen = tuple[SeenSession | ListingFault, ...]
"""What one place of a store holds."""

Places = Mapping[str, Mapping[str, Seen]]
"""By the name of the project, and of the entry in it."""


@dataclass(frozen=True, slots=True)
class SeenStore:
    """The places of a store, the listing that they make, and the log behind each session."""

    places: Places
    listing: Listing
    logs: Mapping[str, FoundLog]


def put_together(places: Places, before: SeenStore | None) -> SeenStore:
    """One entry for each id, in listing order.

    Of several folders with one id, the one in its right place is read. What is as it was `before`
    is the same object again, so that what was made of it counts as well.
    """
    sessions: list[SeenSession] = []
    faults: list[ListingFault] = []
    for items in (items for project in places.values() for items in project.values()):
        for item in items:
            if isinstance(item, SeenSession):
                sessions.append(item)
            else:
                faults.append(item)
    entries, logs = _one_each(sessions, faults)
    listing = Listing(entries, tuple(faults))
    if before is None or listing != before.listing or logs != before.logs:
        return SeenStore(places, listing, logs)
    return SeenStore(places, before.listing, before.logs)


def grown(
    places: Places, before: SeenStore, changes: Iterable[tuple[Seen, Seen]]
) -> SeenStore | None:
    """The store when nothing happened but that some logs became longer; None for all else.

    `changes` are places as they were and as they are. Takes no sorting and no second look.
    """
    entries: dict[int, SessionEntry] = {}
    logs = dict(before.logs)
    for old, new in changes:
        one, other = _only_session(old), _only_session(new)
        if one is None or other is None or not _same_place(one, other):
            return None
        session_id = one.entry.header.id
        if logs.get(session_id) is not one.log:
            return None
        entries[id(one.entry)] = other.entry
        logs[session_id] = other.log
    sessions = tuple(entries.get(id(entry), entry) for entry in before.listing.sessions)
    return SeenStore(places, Listing(sessions, before.listing.faults), logs)


def _only_session(items: Seen) -> SeenSession | None:
    (item,) = items if len(items) == 1 else (None,)
    return item if isinstance(item, SeenSession) else None


def _same_place(one: SeenSession, other: SeenSession) -> bool:
    return (
        one.entry.header == other.entry.header
        and (one.log.path, one.log.rival) == (other.log.path, other.log.rival)
        and one.misplacement == other.misplacement
    )


def _one_each(
    found: list[SeenSession], faults: list[ListingFault]
) -> tuple[tuple[SessionEntry, ...], dict[str, FoundLog]]:
    """The entry of each id with its log; adds the faults of their places."""
    found.sort(key=lambda seen: (seen.misplacement is not None, seen.log.path))
    entries: list[SessionEntry] = []
    logs: dict[str, FoundLog] = {}
    for seen in found:
        session_id = seen.entry.header.id
        listed = logs.get(session_id)
        if listed is not None:
            if listed.revision != seen.log.revision:  # else one file, seen through a link
                faults.append(_duplicate(seen.log, listed))
            continue
        entries.append(seen.entry)
        logs[session_id] = seen.log
        wrong = (seen.misplacement, _rivalry(seen.log))
        faults += [fault for fault in wrong if fault is not None]
    entries.sort(key=lambda entry: (-entry.header.created_at, entry.header.id))
    return tuple(entries), logs


def _duplicate(log: FoundLog, listed: FoundLog) -> ListingFault:
    return fault_at(
        log.path,
        ReadFault.MISPLACED,
        f"the same session lies at {one_line(listed.path)}, which is the one that is read; move "
        "one of the two folders out of the store, since a harness may refuse to list it",
    )


def _rivalry(log: FoundLog) -> ListingFault | None:
    if log.rival is None:
        return None
    return fault_at(
        log.path,
        ReadFault.MISPLACED,
        f"{log.rival} lies beside this log, which is the one that is read; move the one that is "
        "not wanted out of the store, since a harness refuses the two together",
    )
