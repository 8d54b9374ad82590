"""Every run-time vector of the corpus that a run agrees with, and those it knowingly does not."""

import json
import os
from pathlib import Path

import pytest

from tests.dialects.stages.run.vectors import DIFFERS, PLAYED, outcome

CORPUS = os.environ.get("SIGNALBOX_CORPUS", "")
NOTES = ("note",)


def vectors():
    file = Path(CORPUS, "stages", "vectors.json")
    if not CORPUS or not file.exists():
        return {}
    return {vector["id"]: vector for vector in json.loads(file.read_text())["vectors"]}


VECTORS = vectors()


@pytest.mark.skipif(not VECTORS, reason="SIGNALBOX_CORPUS names no folder with stage vectors")
@pytest.mark.parametrize("name", sorted(PLAYED))
def test_a_run_does_as_the_vector_says(name):
    vector = VECTORS[name]
    expected = {key: value for key, value in vector["expect"].items() if key not in NOTES}
    if name in DIFFERS:
        assert outcome(vector) != expected
    else:
        assert outcome(vector) == expected
