"""A contract between a model's answer and the machine that reads it is whole, or it is an error."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.contract.broken_contracts import broken
from tests.support.corpus import at_least
from tests.support.packs import KnownPack, from_corpus, samples
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files

PROOFS = {
    *("SR303", "SR304", "SR311", "ST503", "ST532", "PP334", "PP630", "PP631"),
    *("AG301", "AG402", "CW105", "CW106", "CW202", "CW302"),
}


def errors(dialect: str, files: Files) -> set[tuple[str, str, str]]:
    """Code, pointer and message of every error in the first profile."""
    own = dialects()[dialect]
    source, profile = own.read(files), own.profiles[0]
    if not source.readable:
        return {("", "", "unreadable")}
    graph = own.graph(source, profile)
    return {
        (found.code, found.place.pointer, found.message)
        for rule in own.rules()
        if rule.level == "error" and rule.holds_in(profile)
        for found in rule.check(source, graph)
    }


def broken_packs(packs: list[KnownPack]) -> Counter[str]:
    """The number of broken versions by dialect; each has an error that its pack has not."""
    count, silent = Counter[str](), []
    for pack in packs:
        before = errors(pack.dialect, pack.files)
        assert not {code for code, _, _ in before} & PROOFS, (pack.name, before)
        for name, files in broken(pack.dialect, pack.files):
            count[pack.dialect] += 1
            if not errors(pack.dialect, files) - before:
                silent.append(f"{pack.name}: {name}")
    assert silent == []
    return count


def test_every_broken_contract_of_a_sample_is_an_error() -> None:
    count = broken_packs(list(samples()))
    assert min(count.values()) >= 6
    assert count.total() >= 150


@pytest.mark.slow
def test_every_broken_contract_of_the_corpus_is_an_error() -> None:
    assert broken_packs(list(from_corpus())).total() >= at_least(300, 20)
