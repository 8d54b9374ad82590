"""Answers are streamed while they are written, also over lost connections and repeated calls."""

from __future__ import annotations

from typing import Any

from tests.plugins.ag_ui.client import Sent, read_stream
from tests.plugins.ag_ui.verifier import check_stream
from tests.support.checks import each_row
from workflows.plugins.ag_ui.core.cursor import Cursor
from workflows.plugins.ag_ui.core.translate import Translation
from workflows.plugins.ag_ui.stream import RunLog

BEGIN = Translation(run="7f3c", thread="thread-1", name="run-1")
TEXT = "Tea is in the kitchen — ask Ada."
Frame = dict[str, Any]


def events(first: int, *bodies: Frame) -> Frame:
    numbered = [{"n": first + n, "at": 100.0 + n, **body} for n, body in enumerate(bodies)]
    return {"type": "events", "events": numbered}


def placed(type: str, position: str = "0", **fields: Any) -> Frame:
    return {"type": type, "position": position, "state": f"s{position}", **fields}


def asked(position: str) -> Frame:
    key = f"{position}:1"
    effect = {"effect": "AskModel", "key": key, "position": position, "state": f"s{position}"}
    return placed("model.asked", position, key=key, effect=effect)


def replied(position: str, text: str, **fields: Any) -> Frame:
    return placed("model.replied", position, key=f"{position}:1", text=text, error="", **fields)


def piece(at: int, text: str, begun: float = 1.0, key: str = "0:1") -> Frame:
    return {"type": "delta", "key": key, "begun": begun, "at": at, "text": text}


START = events(
    1,
    {"type": "run.started", "inputs": {}},
    placed("state.entered", "0", visit=1, terminal=False),
    asked("0"),
)
END = {"type": "run.finished", "status": "completed", "reason": ""}
FRAMES = (
    START,
    piece(0, TEXT[:4]),
    events(4, placed("state.entered", "1", visit=1, terminal=False), asked("1")),
    piece(4, TEXT[4:9]),
    piece(0, "Two", key="1:1"),
    events(6, replied("0", TEXT)),
    piece(3, " answers", key="1:1"),
    events(7, replied("1", "Two answers."), END),
)


def streamed(frames: tuple[Frame, ...], after: str = "") -> list[Sent]:
    cursor = Cursor.from_text(after)
    assert cursor is not None
    log = RunLog(BEGIN, cursor)
    parts = [part for frame in frames for part in log.parts(frame)]
    return list(read_stream(b"".join(parts).splitlines(keepends=True)))


def messages(stream: list[Sent]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in stream:
        if one.data["type"] == "TEXT_MESSAGE_CONTENT":
            found[one.data["messageId"]] = found.get(one.data["messageId"], "") + one.data["delta"]
    return found


WHOLE = {"7f3c:0:1": TEXT, "7f3c:1:1": "Two answers."}


def test_an_answer_is_shown_while_it_is_written() -> None:
    begun = streamed(FRAMES[:2])
    assert [one.data["type"] for one in begun[-2:]] == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
    ]
    whole = streamed(FRAMES)
    check_stream([one.data for one in whole])
    assert messages(whole) == WHOLE
    assert len({one.id for one in whole}) == len(whole)


def from_the_start(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames as a client gets them that connects now: pieces so far as one."""
    texts: dict[str, str] = {}
    logged: list[Frame] = []
    for frame in frames:
        if frame["type"] == "delta":
            texts[frame["key"]] = texts.get(frame["key"], "") + frame["text"]
        else:
            logged += frame["events"]
    answered = {one["key"] for one in logged if one["type"] == "model.replied"}
    now = [piece(0, text, key=key) for key, text in texts.items() if key not in answered]
    return ({"type": "events", "events": logged}, *now)


def test_a_stream_lost_at_any_event_continues_within_the_answer() -> None:
    whole = streamed(FRAMES)
    for cut, last in enumerate(whole[:-1], start=1):
        for known in range(1, len(FRAMES) + 1):
            before = from_the_start(FRAMES[:known])
            logged = [one["n"] for one in before[0]["events"]]
            if max(logged) < int(last.id.partition("~")[0].partition(".")[0]):
                continue
            rest = streamed((*before, *FRAMES[known:]), after=last.id)
            joined = [*whole[:cut], *rest]
            check_stream([one.data for one in joined])
            assert messages(joined) == WHOLE, (last.id, known)


@each_row([False, True])
def test_a_repeated_call_begins_a_new_message(lost: bool) -> None:
    first = streamed((START, piece(0, "Coffee is")))
    more = (piece(0, "Tea is in", begun=2.0), events(4, replied("0", TEXT), END))
    if lost:
        whole = [*first, *streamed((START, *more), after=first[-1].id)]
    else:
        whole = streamed((START, piece(0, "Coffee is"), *more))
    check_stream([one.data for one in whole])
    assert messages(whole) == {"7f3c:0:1": "Coffee is", "7f3c:0:1:1": TEXT}


@each_row(
    [
        (replied("0", "Coffee."), {"7f3c:0:1": "Tea", "7f3c:0:1:1": "Coffee."}),
        (replied("0", "", structured={"tea": True}), {"7f3c:0:1": "Tea"}),
        (replied("0", "Te"), {"7f3c:0:1": "Tea", "7f3c:0:1:1": "Te"}),
        (placed("effect.dropped", "0", key="0:1"), {"7f3c:0:1": "Tea"}),
    ]
)
def test_an_open_message_ends_with_any_end_of_its_call(
    answer: Frame, expected: dict[str, str]
) -> None:
    whole = streamed((START, piece(0, "Tea"), events(4, answer, END)))
    check_stream([one.data for one in whole])
    assert messages(whole) == expected


def test_a_structured_answer_is_sent_when_it_is_complete() -> None:
    request = asked("0")
    request["effect"]["schema"] = {"type": "object"}
    entered = [one for one in START["events"] if one["type"] != "model.asked"]
    answer = replied("0", "", structured={"tea": True})
    frames = (
        events(1, *entered, request),
        piece(0, '{"tea":'),
        events(4, answer, END),
    )
    assert messages(streamed(frames)) == {"7f3c:0:1": '{"tea": true}'}


def test_pieces_without_a_beginning_wait_for_the_whole_answer() -> None:
    frames = (START, piece(9, TEXT[9:12]), {"type": "delta", "key": "0:1", "text": "x"})
    whole = streamed((*frames, piece(0, "x", key="9:9"), events(4, replied("0", TEXT), END)))
    check_stream([one.data for one in whole])
    assert messages(whole) == {"7f3c:0:1": TEXT}
