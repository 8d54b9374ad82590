"""Duration of drawing, checking and rehearsing a large workflow script, and of plain parsing.

    python -m bench.scripts [call sites]

The script is generated: phases with a finder, a pipeline of two stages, a loop and a condition, 139
kB with 60 call sites. Plain parsing is tree-sitter's, and the compilation of the text by QuickJS.
Milliseconds of processor time, best of five; the rehearsal once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from bench._rows import Row, print_rows
from workflows.core.dialects import dialects
from workflows.core.dialects.workflow_scripts.format.syntax import parse
from workflows.core.dialects.workflow_scripts.program import engine
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

SITES = 60
BYTES = 139_000
WALKS = 100
DRAWN, CHECKED, REHEARSED = 300.0, 100.0, 2_000.0
"""The goals in milliseconds."""
SCHEMA = (
    "{ type: 'object', required: ['items', 'done'], properties: { done: { type: 'boolean' }, "
    "items: { type: 'array', maxItems: 3, items: { type: 'string' } } } }"
)


def phase(number: int, words: str) -> str:
    """The code of a phase: five call sites in the shapes that scripts have."""
    return f"""
phase('Phase {number}')
const found{number} = await agent(`Find what part {number} needs. {words}`, {{
  label: 'find {number}', model: 'haiku', schema: {SCHEMA},
}})
if (!found{number}) return 'nothing in {number}'
const kept{number} = await pipeline(
  found{number}.items.slice(0, 2),
  (item) => agent(`Work on ${{item}}. {words}`, {{ label: `work {number} ${{item}}` }}),
  (text, item) => agent(`Check ${{text}}. {words}`, {{ label: `check {number} ${{item}}` }}),
)
for (let round = 0; round < 2; round++) {{
  const again = await agent(`Look again at ${{kept{number}.filter(Boolean).length}}. {words}`, {{
    label: `again {number} ${{round}}`, schema: {SCHEMA},
  }})
  if (!again || again.done) break
}}
if (found{number}.done) await agent('Note it. {words}', {{ label: 'note {number}' }})
"""


def script(sites: int) -> bytes:
    """A script with this many call sites, as long for each as one of 139 kB with 60."""
    phases = max(1, sites // 5)
    head = "export const meta = { name: 'large', description: 'A large script.' }\n"
    bare = len(head) + sum(len(phase(number, "")) for number in range(phases))
    fill = max(0, BYTES * phases * 5 // SITES - bare) // (5 * phases)
    words = ("Read the code and the notes with care. " * (fill // 38 + 1))[:fill]
    return (head + "".join(phase(number, words) for number in range(phases))).encode()


def best(measured: Callable[[], object], rounds: int = 5) -> float:
    """Milliseconds of processor time, the best of these rounds."""
    times = []
    for _ in range(rounds):
        before = time.process_time()
        measured()
        times.append(time.process_time() - before)
    return min(times) * 1_000


def main(sites: int) -> None:
    """Measure and print."""
    data = script(sites)
    dialect = dialects()["workflow_scripts"]
    files = Files.of({"large.js": data})
    source = dialect.read(files)
    profile = dialect.profiles[0]
    graph = dialect.graph(source, profile)
    calls = sum(state.kind == "agent" for state in graph.states)
    print(f"{len(data):,} bytes, {calls} call sites, at most {graph.most_visits} agents")

    def parsed() -> None:
        parse.cache_clear()
        parse(data)

    def compiled() -> None:
        engine._compiled.cache_clear()
        engine.syntax_problem(source.data, source.meta)

    def drawn() -> None:
        parse.cache_clear()
        dialect.graph(dialect.read(files), profile)

    def checked() -> None:
        engine._compiled.cache_clear()
        parse.cache_clear()
        check(dialect, dialect.read(files), profile)

    plain, compilation = best(parsed), best(compiled)

    def rehearsed() -> None:
        rehearse(dialect.program(source, profile), graph, runs=WALKS)

    both = "tree-sitter and QuickJS"
    print_rows(
        [
            Row(name="parsing alone (tree-sitter)", value=plain, unit="ms"),
            Row(name="compilation alone (QuickJS)", value=compilation, unit="ms"),
            Row(
                name="drawn", value=best(drawn), unit="ms", goal=DRAWN, peer=plain,
                peer_name="tree-sitter",
            ),
            Row(
                name="checked", value=best(checked), unit="ms", goal=CHECKED,
                peer=plain + compilation, peer_name=both,
            ),
            Row(
                name=f"rehearsed, {WALKS} walks", value=best(rehearsed, 1), unit="ms",
                goal=REHEARSED, peer=compilation * WALKS, peer_name=f"QuickJS, {WALKS} times",
            ),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SITES)
