"""Many mutated files, without or with coverage guidance. Prints figures; exits 1 if one failed.

    python -m tests.fuzz.packs --files 100000 [--seed S] [--keep FOLDER]
    python -m tests.fuzz.packs --guided --files 100000 [--keep FOLDER]

Run it under `ulimit -v`, because a mutated file may ask for memory. Each kind of failure is kept
once, as a file that `tests/fuzz/packs/cases` accepts.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

PROGRESS = 5_000


class Failures:
    """Failures by kind. The kind is the type of the exception and the last line of our code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kinds: Counter[str] = Counter()
        self.done = 0
        self.slowest = 0.0
        self.begin = time.monotonic()

    def check(self, one: object) -> None:
        begin = time.thread_time()
        try:
            one.check()  # type: ignore[attr-defined]
        except Exception as error:
            self._keep(error, one)
        self.slowest = max(self.slowest, time.thread_time() - begin)
        self.done += 1
        if self.done % PROGRESS == 0:
            print(self, flush=True)

    def _keep(self, error: Exception, one: object) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/workflows/" in frame.filename] or frames
        path = Path(ours[-1].filename)
        kind = f"{type(error).__name__}-{path.parent.name}-{path.stem}-{ours[-1].name}"
        if type(error).__module__.startswith("tests."):
            kind += "-" + re.sub(r"[^a-z]+", "-", str(error).lower())[:40].strip("-")
        self.kinds[kind] += 1
        if self.kinds[kind] > 1:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{kind}.json").write_text(one.to_json(), encoding="utf-8")  # type: ignore[attr-defined]
        print(f"{kind}\n{''.join(traceback.format_exception(error)[-4:])}", flush=True)

    def __str__(self) -> str:
        spent = time.monotonic() - self.begin
        lines = [
            f"{self.done:,} inputs in {spent:.0f} s, the slowest took {self.slowest:.2f} s of"
            f" processor time, {self.kinds.total():,} failures of {len(self.kinds)} kinds."
        ]
        lines += [f"  {count:6,} {kind}" for kind, count in self.kinds.most_common()]
        return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(prog="tests.fuzz.packs", description=__doc__)
    options.add_argument("--files", type=int, default=20_000, help="how many")
    options.add_argument("--seed", default="", help="the same seed makes the same files")
    options.add_argument("--guided", action="store_true", help="guided by coverage, with Atheris")
    options.add_argument("--keep", type=Path, default=Path("test-results/fuzz"))
    args = options.parse_args()
    failures = Failures(args.keep)
    if args.guided:
        guided(failures, args.files)
    from tests.fuzz.packs.inputs import fuzz_input

    seed = args.seed or os.urandom(4).hex()
    print(f"Seed {seed}.")
    for number in range(args.files):
        failures.check(fuzz_input(f"{seed}-{number}"))
    print(failures)
    return 1 if failures.kinds else 0


def guided(failures: Failures, files: int) -> None:
    """Does not return: libFuzzer owns the process."""
    try:
        import atheris
    except ImportError:
        sys.exit("Atheris is not installed here. Without --guided no library is needed.")

    with atheris.instrument_imports(include=["workflows.core"]):
        from tests.fuzz.packs.inputs import contents, packs, with_content
    from tests.fuzz.packs.mutations import mutated

    corpus = failures.folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, known in enumerate(packs()):
        for place, data in enumerate(list(known.files.values())[:256]):
            seed = number.to_bytes(2) + bytes([place]) + data
            (corpus / f"{number}-{place}").write_bytes(seed)

    def one_input(data: bytes) -> None:
        failures.check(with_content(data))
        if failures.done >= files:
            print(failures, flush=True)
            os._exit(1 if failures.kinds else 0)

    def mutator(data: bytes, limit: int, seed: int) -> bytes:
        chance = Random(seed)
        if chance.random() < 0.3:
            return bytes(atheris.Mutate(data, limit))
        return (data[:3] + mutated(data[3:], chance, contents()))[:limit]

    flags = ["-max_len=50000", "-rss_limit_mb=4000", "-verbosity=0", "-print_final_stats=0"]
    atheris.Setup([sys.argv[0], str(corpus), *flags], one_input, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
