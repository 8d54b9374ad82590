"""Run-time vectors of the corpus: those that runs match, and the known exceptions."""

import json

from tests.dialects.stages.run.vectors import DIFFERS, PLAYED, outcome
from tests.support.checks import each_row
from tests.support.corpus import CORPUS

NOTES = ("note",)


VECTORS = {
    vector["id"]: vector
    for vector in json.loads((CORPUS / "stages/vectors.json").read_text())["vectors"]
}


@each_row(sorted(PLAYED))
def test_a_run_matches_its_vector(name):
    vector = VECTORS[name]
    expected = {key: value for key, value in vector["expect"].items() if key not in NOTES}
    if name in DIFFERS:
        assert outcome(vector) != expected
    else:
        assert outcome(vector) == expected
