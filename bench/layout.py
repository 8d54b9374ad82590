"""Drawing quality of all samples and 30 packs of the corpus, before and after elkjs, in one run.

    python -m bench.layout [--json FILE]

For canvas sizes in windows 1280, 1440 and 1920 pixels wide: labels under a card or another label,
pairs of arrows that cross, the mean length of an arrow in pixels, and the zoom at which the graph
fits. "before" is dagre with the canvas's own routes, "after" is the product's layout. "renamed",
"relabelled" and "connected" are the product's drawing after edits that move no state. Each level of
a pack is a drawing of its own. "opens" is the zoom with which the editor opens. Packs of the corpus
are read from `SIGNALBOX_CORPUS`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

from bench._rows import Row, print_rows
from signalbox import cli

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "frontend_static" / "node_modules" / ".bench-drawing" / "drawing.js"
WINDOWS = {
    "1280": {"w": 720, "h": 720},
    "1440": {"w": 880, "h": 820},
    "1920": {"w": 1360, "h": 1000},
}
CORPUS_PACKS = 30
EDITED = ("renamed", "relabelled", "connected")


def graph_of(path: Path) -> dict[str, Any] | None:
    """The graph of a pack, or None where the path holds none."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        code = cli.main(["graph", str(path), "--format", "json"])
    if code != 0:
        return None
    graph: dict[str, Any] = json.loads(output.getvalue())
    return {"name": path.name, **graph} if graph.get("states") else None


def packs() -> list[dict[str, Any]]:
    """All samples and the first 30 packs of the corpus with two states or more."""
    samples = sorted((ROOT / "workflows/core/dialects").glob("*/samples/*"))
    found = [graph for path in samples if path.name[0] != "_" and (graph := graph_of(path))]
    corpus = os.environ.get("SIGNALBOX_CORPUS")
    if not corpus:
        print("SIGNALBOX_CORPUS is not set: samples only.")
        return found
    files = sorted(Path(corpus).rglob("*.pack.json")) + sorted(
        path.parent for path in Path(corpus).rglob("steps_registry.json")
    )
    taken = 0
    for path in files:
        if taken == CORPUS_PACKS:
            break
        if (graph := graph_of(path)) and len(graph["states"]) > 1:
            found.append(graph)
            taken += 1
    return found


def report(rows: list[dict[str, Any]], few: int = 10) -> None:
    """One line per width and layout."""
    print("width   layout      labels covered  crossings  length  zoom  opens  at most ten states")
    for width in WINDOWS:
        for layout in ("before", "after", *EDITED):
            part = [row for row in rows if row["width"] == width and row["layout"] == layout]
            small = [row["zoom"] for row in part if row["states"] <= few]
            labels = sum(row["labels"] for row in part)
            covered = sum(row["covered"] for row in part)
            print(
                f"{width:7} {layout:11} {covered:4} of {labels:<7} "
                f"{sum(row['crossings'] for row in part):9} "
                f"{statistics.fmean(row['length'] for row in part):7.0f} "
                f"{statistics.fmean(row['zoom'] for row in part):5.0%} "
                f"{statistics.fmean(row['opens'] for row in part):6.0%} "
                f"{statistics.fmean(small):5.0%}, {sum(zoom >= 0.9 for zoom in small)} of "
                f"{len(small)} at 90 % or more"
            )
            if layout in EDITED:
                name = f"labels covered, {layout}, {width} px"
                print_rows((Row(name=name, value=covered, unit="", goal=0),))
            if layout == "after":
                print_rows(
                    (
                        Row(name=f"labels covered, {width} px", value=covered, unit="", goal=0),
                        Row(
                            name=f"small packs under 90 % zoom, {width} px",
                            value=sum(zoom < 0.9 for zoom in small),
                            unit=f"of {len(small)}",
                            goal=0,
                        ),
                    )
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures of every pack to this file")
    given = parser.parse_args()
    subprocess.run(
        [ROOT / "scripts/node.sh", "run", "--silent", "bench:drawing"], check=True, cwd=ROOT
    )
    result = subprocess.run(
        [ROOT / "scripts/node.sh", "node", PROGRAM, json.dumps(WINDOWS)],
        input=json.dumps(packs()),
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    report(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
