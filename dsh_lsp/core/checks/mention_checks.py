"""Checks of where mentions stand: the target itself, too many sources, repeats, old labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter

from dsh_lsp.core.checks.fixes import KeepText, Relabel, Remove
from dsh_lsp.core.checks.mentioned import Mentioned
from dsh_lsp.core.display import one_line
from dsh_lsp.core.failures import Code
from dsh_lsp.core.mentions import Mention
from dsh_lsp.core.names import mention_label, short_name
from dsh_lsp.core.problem import Problem, Related, Severity

_START = attrgetter("span.start")


def self_references(mentioned: Mentioned) -> Iterator[Problem]:
    """The target itself is mentioned."""
    for mention in mentioned.target:
        yield Problem(
            Code.SELF_REFERENCE,
            Severity.ERROR,
            mention.span,
            "This is the session that the prompt goes to; it knows its own conversation. "
            "Remove the mention, or choose another target.",
            fixes=(Remove("Remove this mention", (mention,)),),
        )


def too_many(mentioned: Mentioned, limit: int) -> Iterator[Problem]:
    """Each distinct source beyond the limit, at its first mention."""
    surplus = [mentions for _, mentions in mentioned.surplus(limit)]
    if not surplus:
        return
    related = tuple(
        Related(mentions[0].span, f"{short_name(mentions[0].label)} counts as {number} of {limit}")
        for number, (_, mentions) in enumerate(mentioned.counting(limit), 1)
    )
    every = sorted((mention for each in surplus for mention in each), key=_START)
    all_fixes = (Remove("Remove all surplus mentions", tuple(every)),) if len(surplus) > 1 else ()
    for number, mentions in enumerate(surplus, limit + 1):
        name = short_name(mentions[0].label)
        yield Problem(
            Code.TOO_MANY,
            Severity.ERROR,
            mentions[0].span,
            f"A prompt can mention {limit} {'session' if limit == 1 else 'sessions'}, and {name} "
            f"is number {number}. Leave out {_of_them(len(surplus))}.",
            fixes=(Remove(f"Remove every mention of {name}", mentions), *all_fixes),
            related=related,
        )


def _of_them(count: int) -> str:
    return "one of them" if count == 1 else f"{count} of them"


def duplicates(mentioned: Mentioned, display_titles: Mapping[str, str]) -> Iterator[Problem]:
    """Each later mention of a source. Harmless: a source is read and sent once."""
    for session_id, (first, *repeats) in mentioned.sources.items():
        if not repeats:
            continue
        name = short_name(first.label)
        related = (Related(first.span, "the mention that counts"),)
        plain_name = display_titles.get(session_id, session_id)
        fixes = (KeepText(f"Reference {name} only once", tuple(repeats), plain_name),)
        message = f"{name} is already mentioned above; its snapshot is sent once."
        for mention in repeats:
            yield Problem(
                "duplicate-reference",
                Severity.HINT,
                mention.span,
                message,
                fixes=fixes,
                related=related,
                unnecessary=True,
            )


def stale_labels(mentioned: Mentioned, display_titles: Mapping[str, str]) -> Iterator[Problem]:
    """Each label that is not what its session is called now."""
    stale = sorted(
        (
            (mention, mention_label(display_titles[session_id]))
            for session_id, mentions in mentioned.sources.items()
            if session_id in display_titles
            for mention in mentions
            if _is_stale(mention, display_titles[session_id])
        ),
        key=lambda each: each[0].span.start,
    )
    all_fixes = (
        (Relabel(f"Update all {len(stale)} labels", tuple(stale)),) if len(stale) > 1 else ()
    )
    for mention, title in stale:
        yield Problem(
            "stale-label",
            Severity.HINT,
            mention.span if mention.label_span is None else mention.label_span,
            f"This session is now called {short_name(title)}.",
            fixes=(
                Relabel(f"Change the label to {short_name(title)}", ((mention, title),)),
                *all_fixes,
            ),
        )


def _is_stale(mention: Mention, display_title: str) -> bool:
    return mention.explicit and one_line(mention.label) != mention_label(display_title)
