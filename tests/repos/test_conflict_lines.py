"""Lines of conflicts count in the person's version."""

from __future__ import annotations

from workflows.repos.merge_chunks import Chunk, pieces

OLD = b"a\nb\nc\nd\ne\nf\n"
MINE = b"a\nB1\nB2\nB3\nc\nd\ne\nF\n"
THEIRS = b"a\nX\nc\nd\ne\nY\n"


def test_a_second_conflict_counts_the_lines_of_the_persons_side_of_the_first() -> None:
    chunks = [piece for piece in pieces(OLD, MINE, THEIRS) if isinstance(piece, Chunk)]
    assert [(chunk.line, chunk.mine, chunk.theirs) for chunk in chunks] == [
        (2, b"B1\nB2\nB3\n", b"X\n"),
        (8, b"F\n", b"Y\n"),
    ]
    lines = MINE.splitlines(keepends=True)
    for chunk in chunks:
        assert chunk.mine.startswith(lines[chunk.line - 1])
