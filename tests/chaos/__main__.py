"""`python -m tests.chaos --queue embedded --kills 200 --runs 200 --seed 1`: see the package."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos import pack
from tests.chaos.api_user import ApiUser
from tests.chaos.checks import Verdict, check
from tests.chaos.effect_server import EffectServer, effect_server
from tests.chaos.processes import ProcessGroup, process_group
from tests.support.live_server import SIGNALBOX, environment

QUEUES = ("embedded", "procrastinate")
WORKERS = {"embedded": 1, "procrastinate": 2}
"""Processes in addition to the server, which has its own worker on SQLite."""
UNDER_WAY = 20
"""Runs that are begun before the first kill; from then on one with every kill."""
BREATH = 0.8
"""Seconds at most between something that happens outside and the next kill."""
LULL = 20.0
"""Seconds after which the next kill comes even where nothing happened outside."""
SLOW, DELAY_MS = 0.1, 60
"""Seconds that the world outside takes, at most, before an effect and after; and milliseconds that
a scripted model takes."""
PATIENCE = 180.0
"""Seconds that runs may take to end after the last kill."""


@dataclass
class Report:
    """`ended_after`: seconds from the last kill to the end of the last run; `cleared_after`: until
    the queue was empty too, with what dead workers had taken from it."""

    queue: str
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    ended_after: float = 0.0
    cleared_after: float = 0.0
    troubles: list[str] = field(default_factory=list)


def main() -> int:
    """Exit code 1 where a promise was broken."""
    asked = arguments()
    with (
        tempfile.TemporaryDirectory(prefix="signalbox-chaos-") as name,
        settings_of(asked.queue) as settings,
    ):
        folder = Path(name)
        os.environ.update(environment(folder, **settings))
        with (
            effect_server(asked.seed, SLOW) as outside,
            process_group(folder, workers=WORKERS[asked.queue], settings=settings) as ours,
        ):
            person = ApiUser(server=ours.server, url=ours.url, delay_ms=DELAY_MS)
            report = kill_at_random(asked, ours, person, outside, folder)
            report.troubles += [*ours.troubles, *person.odd]
        verdict = verdict_on(outside, person)
        all_of_them = len(person.begun) == asked.runs
        verdict.hold("what was begun is there once", len(person.begun), all_of_them, asked.runs)
        idle = report.cleared_after < PATIENCE
        verdict.hold("no job is left", asked.queue, idle, "jobs of dead workers are still there")
        return told(asked, report, verdict, outside, person)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--queue", choices=QUEUES, default=QUEUES[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--hurry",
        action="store_true",
        help="do not wait until what dead workers left in Procrastinate is cleared, half a minute",
    )
    return parser.parse_args()


@contextmanager
def settings_of(queue: str) -> Iterator[dict[str, str]]:
    """Settings of the server and the workers."""
    told = {"SIGNALBOX_PRIVATE_HOSTS": "127.0.0.1", "SIGNALBOX_COMMANDS": "1"}
    if queue == "embedded":
        yield told
        return
    from tests.support.database_servers import empty_database, redis_address

    with empty_database() as address:
        yield {**told, "SIGNALBOX_DATABASE": address, "SIGNALBOX_REDIS": redis_address()}


def kill_at_random(
    asked: argparse.Namespace,
    ours: ProcessGroup,
    person: ApiUser,
    outside: EffectServer,
    folder: Path,
) -> Report:
    """Kill processes while runs are started, then wait until every run has ended."""
    report = Report(queue=asked.queue)
    person.sign_in()
    bring(folder)
    person.find_pack()
    person.tools = pack.bindings(outside.url)
    begun = time.monotonic()
    with living(person, asked.seed):
        kill(asked, ours, person, outside, report)
        last = time.monotonic()
        while not person.all_over() and time.monotonic() < last + PATIENCE:
            time.sleep(0.1)
        report.ended_after = time.monotonic() - last
        report.cleared_after = report.ended_after if asked.hurry else cleared(last)
    for run in person.begun:
        person.watch(run)
    report.seconds = time.monotonic() - begun
    return report


def kill(
    asked: argparse.Namespace,
    ours: ProcessGroup,
    person: ApiUser,
    outside: EffectServer,
    report: Report,
) -> None:
    """Kill one process after another while runs are started. Between two kills there is progress;
    otherwise a busy machine, whose start-up takes longer than a pause, would make none."""
    chance = random.Random(asked.seed)
    beginner = threading.Thread(target=begin, args=(asked, person, report), daemon=True)
    beginner.start()
    for _ in range(asked.kills):
        done, late = outside.asked.total(), time.monotonic() + LULL
        while outside.asked.total() == done and time.monotonic() < late:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, BREATH))
        while not (name := ours.kill_one(chance)):
            time.sleep(0.01)
        report.kills[name] += 1
    beginner.join()


def begin(asked: argparse.Namespace, person: ApiUser, report: Report) -> None:
    """Some runs before the first kill, the others with the kills, the last with the last."""
    first = UNDER_WAY if asked.kills else asked.runs
    for number in range(asked.runs):
        while (number - first) * asked.kills > (asked.runs - first) * report.kills.total():
            time.sleep(0.01)
        person.start(number)


def cleared(since: float) -> float:
    """Wait until Procrastinate has no job left either, where it brings them."""
    address = os.environ["SIGNALBOX_DATABASE"]
    if address:
        import psycopg

        with psycopg.connect(address, autocommit=True) as server:
            count = "SELECT count(*) FROM procrastinate_jobs"
            while server.execute(count).fetchone() != (0,):
                if time.monotonic() > since + PATIENCE:
                    return float("inf")
                time.sleep(0.1)
    return time.monotonic() - since


def bring(folder: Path) -> None:
    """The pack into the server's database, as an operator would."""
    source = pack.write_pack(folder / "pack")
    subprocess.run([*SIGNALBOX, "import", str(source)], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def living(person: ApiUser, seed: int) -> Iterator[None]:
    """Answer and subscribe in the meantime."""
    stop, chance = threading.Event(), random.Random(seed)
    thread = threading.Thread(target=person.live, args=(chance, stop), daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join()


def verdict_on(outside: EffectServer, person: ApiUser) -> Verdict:
    os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
    import django

    django.setup()
    return check(outside, person.seen)


def told(
    asked: argparse.Namespace,
    report: Report,
    verdict: Verdict,
    outside: EffectServer,
    person: ApiUser,
) -> int:
    """Print it all. The exit code."""
    counted, kills = verdict.counted, report.kills
    lines = {
        "kills": f"{kills.total()} ("
        + ", ".join(f"{n} {k}" for k, n in sorted(kills.items()))
        + ")",
        "runs": f"{counted['runs']}",
        "events": f"{counted['events']:,}, of which {sum(map(len, person.seen.values())):,} shown",
        "transitions": f"{counted['transitions']:,}",
        "model calls": f"{counted['model.replied']:,}",
        "effects outside": f"{len(outside.receipts):,}, asked for again {outside.repeated} times",
        "edits of files": f"{counted['edits']:,}",
        "commands of two seconds": f"{counted['commands']:,}, run again "
        f"{counted['commands again']} times",
        "effect.repeated": f"{counted['effect.repeated']:,}",
        "answers of a person": f"{counted['approval.given']}",
        "given up after 20 deaths": f"{person.given_up} times, and resumed",
        "waits": f"{counted['run.resumed']}",
        "server away": f"{person.again} requests",
        "the last run ended": f"{report.ended_after:.0f} s after the last kill, "
        f"the queue was empty after {report.cleared_after:.0f} s",
        "took": f"{report.seconds:.0f} s at load {os.getloadavg()[0]:.1f}",
    }
    print(f"chaos on the {asked.queue} queue, seed {asked.seed}")
    for name, figure in lines.items():
        print(f"  {name:38} {figure}")
    for promise, who in verdict.broken.items():
        print(f"  {promise:38} {'yes' if not who else f'NO, broken {len(who)} times'}")
        for one in who[:5]:
            print(f"    {one}")
    for trouble in report.troubles[:10]:
        print(f"  trouble: {trouble}")
    return int(any(verdict.broken.values()) or bool(report.troubles))


if __name__ == "__main__":
    sys.exit(main())
