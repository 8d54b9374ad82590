"""The list of mutations fits the code: `scripts/mutations.py` can apply each of them."""

from __future__ import annotations

from scripts.mutations import ROOT, Mutation, mutations
from tests.support.checks import each_row

MUTATIONS = mutations()


def test_every_mutation_has_an_id_of_its_own() -> None:
    ids = [one.id for one in MUTATIONS]
    assert len(ids) == len(set(ids)) >= 25


@each_row(MUTATIONS)
def test_a_mutation_changes_one_place_and_names_existing_tests(mutation: Mutation) -> None:
    text = (ROOT / mutation.file).read_text()
    assert mutation.mutated(text) != text
    assert mutation.tests
    for test in mutation.tests:
        path, _, name = test.replace(" > ", "::", 1).partition("::")
        where = ROOT / path
        assert where.is_file(), test
        needle = name if path.endswith(".ts") else f"def {name.partition('[')[0]}("
        assert not name or needle in where.read_text(), test
