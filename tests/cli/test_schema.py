"""`signalbox schema`: every shipped pack fits the schema of its files, and a fault does not."""

import json
from fnmatch import fnmatch

import jsonschema_rs
import pytest
import yaml

from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.opened_packs.view import Opened

SCHEMAS = {
    one.name: (dialect, one) for dialect in dialects().values() for one in dialect.editor_schemas
}


def files_of(dialect, schema):
    """The files of the samples that the patterns of the schema match."""
    return {
        f"{sample}/{path}": value_of(path, data)
        for sample, files in dialect.samples().items()
        for path, data in files.items()
        if any(fnmatch(path, pattern) for pattern in schema.patterns)
    }


def value_of(path, data):
    """The value of a JSON file, or of the front matter of a Markdown file."""
    if not path.endswith(".md"):
        return json.loads(data)
    return yaml.safe_load(data.decode().split("---\n")[1])


@pytest.mark.parametrize("name", SCHEMAS)
def test_samples_fit_the_printed_schema_and_a_fault_does_not(cli, name):
    dialect, schema = SCHEMAS[name]
    done = cli("schema", name)
    assert done.code == 0, done.err
    validator = jsonschema_rs.validator_for(done.json)
    files = files_of(dialect, schema)
    assert files
    for path, value in files.items():
        assert list(validator.iter_errors(value)) == [], path
        key = next(iter(value))
        assert not validator.is_valid({**value, key: [None]}), path


def test_all_schemas_are_written_with_settings_for_an_editor(cli, tmp_path):
    assert cli("schema", "-o", "schemas").code == 0
    settings = json.loads((tmp_path / "schemas/vscode-settings.json").read_text())
    by_file = {one["url"]: one["fileMatch"] for one in settings["json.schemas"]}
    assert by_file["./schemas/promptpack.schema.json"] == ["*.pack.json"]
    assert not any("stages" in url for url in by_file), "an editor of JSON reads no Markdown"
    assert (tmp_path / "schemas/stages.schema.json").is_file()
    for url in by_file:
        jsonschema_rs.validator_for(json.loads((tmp_path / url).read_text()))


@pytest.mark.parametrize("arguments", [(), ("nothing",)])
def test_a_missing_name_or_schema_is_an_error(cli, arguments):
    done = cli("schema", *arguments)
    assert done.code == 2
    assert "Name one dialect" in done.err or "promptpack" in done.err


@pytest.mark.third_party
@pytest.mark.parametrize(
    ("name", "file", "count"),
    [("climpt-workflow", "workflow.json", 2), ("climpt-steps", "steps_registry.json", 27)],
)
def test_no_file_of_the_corpus_is_refused(corpus, name, file, count):
    validator = jsonschema_rs.validator_for(SCHEMAS[name][1].make())
    places = sorted(corpus.glob(f"steps-registry/**/{file}"))
    assert len(places) >= count
    for place in places:
        problems = [str(one) for one in validator.iter_errors(json.loads(place.read_text()))]
        assert problems == [], place


@pytest.mark.third_party
def test_every_stage_of_the_corpus_that_is_refused_has_an_error(corpus):
    dialect, schema = SCHEMAS["stages"]
    validator = jsonschema_rs.validator_for(schema.make())
    fit, refused = set(), set()
    for place in sorted((corpus / "stages").rglob("*/*.md")):
        source = dialect.read(Files({f"stages/{place.name}": place.read_bytes()}))
        for stage in source.stages.values():
            fits = validator.is_valid(dict(stage.values))
            (fit if fits else refused).add(place.name)
            findings = Opened(dialect, source.files).under("documented").findings_json
            assert fits or any(one["level"] == "error" for one in findings), place
    assert {"plan.md", "comments-order-and-unknown-keys.md", "yaml-1-1-traps.md"} <= fit
    shapes = ("01-missing", "02-id", "03-allowed", "04-turn", "05-turn", "08-retry")
    assert all(any(name.startswith(shape) for name in refused) for shape in shapes)
