"""Compare locked versions with a file of security advisories. Works without a network.

    make audit ADVISORIES="PyPI.zip npm.zip"

The files are those that osv.dev publishes per ecosystem (`PyPI/all.zip`, `npm/all.zip`), copied to
this machine. Exit codes: 0 no locked version is affected, 1 at least one is, 2 no result:
a file has no advisories, an ecosystem has none, or an advisory cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scripts.advisories import ECOSYSTEMS, Hit, UnusableFile, hits, load
from scripts.locked_packages import ROOT, LockedPackage, javascript_packages, python_packages

OLD = timedelta(days=30)


def main(argv: list[str] | None = None, *, now: datetime | None = None) -> int:
    """Print the report and return the exit code."""
    options = argparse.ArgumentParser(
        prog="scripts.audit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("advisories", nargs="+", type=Path, help="zip, folder or JSON file")
    paths: list[Path] = options.parse_args(argv).advisories
    try:
        advisories = load(paths)
    except (UnusableFile, OSError) as error:
        print(f"No audit: {error}", file=sys.stderr)
        return 2
    if missing := [name for name in ECOSYSTEMS if not advisories.counts.get(name)]:
        print(f"No audit: no advisories for {' and '.join(missing)}.", file=sys.stderr)
        print("osv.dev publishes one file per ecosystem. Name them all.", file=sys.stderr)
        return 2
    packages = locked()
    found = hits(advisories, packages)
    assert advisories.newest is not None
    print(f"Newest advisory: {advisories.newest:%Y-%m-%d}.")
    age = (now or datetime.now(UTC)) - advisories.newest
    if age > OLD:
        print(f"Warning: the newest advisory is {age.days} days old. Get newer files.")
    for name in ECOSYSTEMS:
        count = sum(package.ecosystem == name for package in packages)
        print(f"{name}: {advisories.counts[name]:,} advisories, {count:,} locked packages.")
    for problem in advisories.unreadable:
        print(f"Not compared: {problem}.")
    for hit in found:
        print(sentence(hit))
    print(f"{len(found)} of these versions and advisories match.")
    if found:
        return 1
    return 2 if advisories.unreadable else 0


def locked() -> list[LockedPackage]:
    """Every locked package: of the server, the development tools and the canvas."""
    requirements = sorted(ROOT.glob("requirements*.txt"))
    return [*python_packages(*requirements), *javascript_packages(dev=True)]


def sentence(hit: Hit) -> str:
    """One line of the report."""
    names = ", ".join((hit.advisory, *hit.aliases))
    fix = f"fixed in {hit.fixed}" if hit.fixed else "no fixed version"
    package = hit.package
    return f"{names}: {package.ecosystem} {package.name} {package.version}, {fix}. {hit.summary}"


if __name__ == "__main__":
    sys.exit(main())
