"""The sample sessions of the demo: a small team builds Ebb, an app for tide tables."""

from __future__ import annotations

from dataclasses import dataclass

HOUR = 3600
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Sample:
    """One session. `folder` is below the workspace, `age` in seconds before the demo starts.

    `summary` compacts the exchanges before the last one; `label` is a subagent's.
    """

    key: str
    title: str
    folder: str
    age: int
    exchanges: tuple[tuple[str, str], ...]
    summary: str | None = None
    label: str | None = None


CONSTITUENTS = Sample(
    key="constituents",
    title="Which tidal constituents to keep",
    folder="ebb",
    age=3 * HOUR,
    exchanges=(
        (
            (
                "Our predictor sums 37 constituents for every port. Which ones can we drop for a "
                "table that is printed in 10 cm steps?"
            ),
            (
                "For Brest the eight largest (M2, S2, N2, K1, O1, K2, Q1, P1) carry 97 % of the "
                "variance. Dropping the other 29 moves a high water by 4 cm at most, which your "
                "10 cm steps hide. Keep M4 and MS4 for harbours in shallow water: there the curve "
                "is no longer a sine, and low water comes late."
            ),
        ),
        (
            "How do we know that a harbour is shallow enough to need M4?",
            (
                "Look at the ratio of the amplitudes M4 / M2 in data/ports.csv. Above 0.03 keep "
                "the shallow-water pair. Saint-Malo has 0.034, Brest 0.024."
            ),
        ),
    ),
)

RENDERING = Sample(
    key="rendering",
    title="Month view stutters on old phones",
    folder="ebb",
    age=2 * DAY,
    exchanges=(
        (
            "Scrolling the month view drops to 20 frames per second on a 2018 phone.",
            "Each day cell draws its own curve with 96 points. Draw one path per week instead.",
        ),
        (
            "One path per week gives 45. Better, not smooth.",
            "The labels are measured again on every frame. Measure them once per font size.",
        ),
        (
            "Smooth now. What did we learn for the year view?",
            (
                "Draw per week, measure labels once, and round times to the minute before layout: "
                "equal strings are then measured once for the whole year."
            ),
        ),
    ),
    summary=(
        "The month view stuttered because each day drew a curve of its own and every frame "
        "measured its labels again. One path per week and labels measured once per font size "
        "brought it to 60 frames per second."
    ),
)

TIME_ZONES = Sample(
    key="time-zones",
    title="潮汐表的时区与夏令时",
    folder="ebb",
    age=5 * DAY,
    exchanges=(
        (
            "用户在法国看布雷斯特的潮汐表,三月最后一个星期日出现了两次 02:30,为什么?",
            (
                "三月时钟向前拨,02:30 那天根本不存在;出现两次的是十月。"
                "表格应以 UTC 存储,只在显示时换算,并在换算时标注夏令时。"
            ),
        ),
        (
            "那打印的年表怎么办?",
            "年表请固定用港口的标准时间,并在页眉写明“夏令时期间加一小时”。",
        ),
    ),
)


def _month(number: int) -> tuple[str, str]:
    """What the team asked and heard about one month of the gauge's record."""
    month = f"{2022 + number // 12}-{number % 12 + 1:02}"
    gaps, storms = (number * 7) % 11, (number * 5) % 4
    return (
        f"Next month of the Brest gauge, {month}.",
        f"{month}: 44,640 readings, {gaps} gaps filled by interpolation, mean level "
        f"{4.02 + number % 5 / 100:.2f} m. Residual after the fit "
        f"{3 + number % 3}.{number % 10} cm. Storm surges above 20 cm: {storms}. "
        + ("Flagged for a second look." if storms > 2 else "Nothing to flag."),
    )


GAUGE = Sample(
    key="gauge",
    title="Brest gauge, three years month by month",
    folder="ebb-data",
    age=9 * DAY,
    exchanges=tuple(_month(number) for number in range(36)),
)

PORT_NAMES = Sample(
    key="port-names",
    title="Check every port name in data/ports.csv against the harbour authority's list",
    folder="ebb",
    age=10 * DAY,
    exchanges=(
        (
            "Check every port name in data/ports.csv against the harbour authority's list.",
            (
                "41 of 43 agree. Two differ: “Roscof” should be Roscoff, and “Port-Navalo” is "
                "listed under Arzon."
            ),
        ),
    ),
    label="port name checker",
)

PRINTING = Sample(
    key="printing",
    title="Printed almanac: paper size and bleed",
    folder="ebb",
    age=20 * DAY,
    exchanges=(("Which paper size do marinas print?", "A5 in portrait, with 3 mm of bleed."),),
)
"""Its log is damaged after it has been written."""

SAMPLES = (CONSTITUENTS, RENDERING, TIME_ZONES, GAUGE, PORT_NAMES, PRINTING)

WORKSPACE = {
    "README.md": "# Ebb\n\nTide tables for small harbours.\n",
    "ebb/predict.py": "def height(port, moment):\n    ...\n",
    "ebb/tables.py": "def month(port, year, month):\n    ...\n",
    "data/ports.csv": "port,m2,m4\nBrest,2.05,0.049\nSaint-Malo,3.72,0.126\n",
    "notes/year view.md": "Draw per week.\n",
    ".gitignore": "build/\n",
    "build/tables.pdf": "ignored\n",
}
"""Files of the workspace, which `@path` can name."""
