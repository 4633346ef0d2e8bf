"""Random conversations: whatever may stand in a session, from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from tests.support.mock_model_script import Action, Call, Refuse, Say, Think

_WORDS = (
    *(
        "plain words here ",
        "Größe ",
        "北京市海淀区 ",
        "שלום עולם ",
        "🎉",
        "👩‍👩‍👧‍👦",
        "e\u0301",
        "\U0010ffff",
    ),
    *("<", "</referenced-sessions>", '"', "\\", "\\u003c", "`code`", "{}", "[x](y)", "@path/to "),
    *("\n", "\n\n", "\r\n", "\t", " ", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\ufeff"),
    *("\ud800", "\udc00", "\ud83d", "\u202e", "[… omitted 3 UTF-8 bytes …]"),
)
"""Nothing here can make a mention, or an action of the mock model."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A prompt, and what the model does about it."""

    text: str
    answer: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Steer:
    """A prompt, and another one that is steered into its turn."""

    text: str
    steered: str


@dataclass(frozen=True, slots=True)
class Break:
    """A prompt whose answer is cancelled after its first half."""

    text: str
    first_half: str


@dataclass(frozen=True, slots=True)
class Compact:
    """The conversation so far is replaced by a summary."""

    summary: str


@dataclass(frozen=True, slots=True)
class Rename:
    """The session gets a title by hand."""

    title: str


Step: TypeAlias = Ask | Steer | Break | Compact | Rename


def random_conversation(random: Random, steps: int, largest: int) -> Iterator[Step]:
    """Steps of a conversation whose texts have up to about `largest` characters."""

    def text() -> str:
        return random_text(random, largest)

    kinds: list[tuple[int, Callable[[], Step]]] = [
        (8, lambda: Ask(text(), (Say(text(), pieces=random.randint(1, 4)),))),
        (2, lambda: Ask(text(), (Think(text()), Say(text())))),
        (2, lambda: Ask(text(), (Say(text()), _tool(random)))),
        (1, lambda: Ask(text(), (_tool(random), _tool(random)))),
        (1, lambda: Ask(text(), (Refuse(400),))),
        (1, lambda: Steer(text(), text())),
        (1, lambda: Break(text(), text())),
        (2, lambda: Compact(text())),
        (1, lambda: Rename(text())),
    ]
    weights = [weight for weight, _ in kinds]
    yield Ask(text(), (Say(text()),))
    for _, make in random.choices(kinds, weights, k=steps):
        yield make()


def random_text(random: Random, largest: int) -> str:
    """Text with something visible in it; short ones are as likely as long ones."""
    size = int(largest ** random.random())
    length, pieces = 1, ["."]
    while length < size:
        pieces.append(random.choice(_WORDS) * random.choice((1, 1, 1, 2, 7)))
        length += len(pieces[-1])
    random.shuffle(pieces)
    return "".join(pieces)


def _tool(random: Random) -> Call:
    wanted = random.choice(("note.txt", "missing.txt"))
    return random.choice(
        (
            Call("read", {"file_path": wanted}),
            Call("glob", {"pattern": "*"}),
            Call("todo_write", {"todos": []}),
            Call("no_such_tool", {"text": random_text(random, 200)}),
        )
    )
