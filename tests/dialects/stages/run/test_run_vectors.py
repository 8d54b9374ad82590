"""Every run-time vector of the corpus that a run agrees with, and those it knowingly does not."""

import json

import pytest

from tests.dialects.stages.run.vectors import DIFFERS, PLAYED, outcome
from tests.support.corpus import CORPUS

NOTES = ("note",)


VECTORS = {
    vector["id"]: vector
    for vector in json.loads((CORPUS / "stages/vectors.json").read_text())["vectors"]
}


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_a_run_does_as_the_vector_says(name):
    vector = VECTORS[name]
    expected = {key: value for key, value in vector["expect"].items() if key not in NOTES}
    if name in DIFFERS:
        assert outcome(vector) != expected
    else:
        assert outcome(vector) == expected
