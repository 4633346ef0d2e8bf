"""How many sessions each place has, since those of several are listed as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from dsh_lsp.sessions.query import Listing

_BELOW_A_STORE = 3  # a log lies in <store>/<project>/<session>/


def sessions_by_place(listing: Listing, store: str) -> Mapping[str, int]:
    """Sessions by their store's path, or by their host; `store` comes first, even without any."""
    counts = Counter(_place(entry.origin) for entry in listing.sessions)
    return {store: counts.pop(store, 0), **counts}


def _place(origin: str) -> str:
    path = PurePath(origin)
    if not path.is_absolute() or len(path.parents) < _BELOW_A_STORE:
        return origin
    return str(path.parents[_BELOW_A_STORE - 1])
