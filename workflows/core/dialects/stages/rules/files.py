"""Rules over the files of a pack: missing files, unused files and wrong forms."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import basename

from workflows.core.dialects.stages.format.indentation import restore_indentation
from workflows.core.dialects.stages.format.repair import (
    as_markdown,
    keys_to_confirm,
    markdown_path,
    relative_file,
    unknown_keys,
)
from workflows.core.dialects.stages.format.stage_file import StageFile
from workflows.core.dialects.stages.recognise import FORMAT
from workflows.core.dialects.stages.rules.kit import (
    set_in_pipeline,
    set_in_stage,
    stage_rule,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.edits import Edit, RemoveFile, SetEntry, WriteFile
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.text.yaml.errors import YamlTextError

KNOWN = ("format", "id", "name", "entryStage", "runInputSchema", "stages", "grants")
NOTES = ("description", "version", "author", "license", "tags")
"""Keys of the pipeline that are documentation and have no effect."""
ENTRY = ("file", "setup", "gate", "assert", "exit", "maxVisits", "next", "onParallelFailure")


@stage_rule("ST110", "error", "Indentation is lost", profiles=EVERY)
def lost_indentation(facts: Facts) -> Iterable[Note]:
    """The front matter of this stage was pasted without its indentation: the contents of
    completionSchema and retryPolicy are at the top level, and both keys are empty. Some web pages
    drop leading spaces when text is copied. The fix restores the indentation; review the difference
    before you save."""
    for stage, file in facts.flattened.items():
        again = restore_indentation(file.data)
        yield Note(
            message=f"The front matter of {stage!r} has lost its indentation.",
            place=facts.head(stage, "completionSchema"),
            hint="Indent the contents of completionSchema and retryPolicy by two spaces.",
            fix=make_fix("Restore the indentation", WriteFile(path=file.path, text=again))
            if again
            else None,
        )


@stage_rule("ST111", "hint", "Stage object instead of markdown", profiles=EVERY)
def stage_object(facts: Facts) -> Iterable[Note]:
    """This stage is a JSON object, the form that the source code of stud-cli uses. It is read and
    runs, but the format's page only defines markdown files. A markdown file needs a name, a retry
    policy and a resolution policy, which the object does not have. The fix adds default values with
    a comment each, until you confirm them."""
    for stage, file in facts.source.stages.items():
        if file.form == "object" and file.text is not None:
            yield Note(
                message=f"Stage {stage!r} is a JSON object, not a markdown file.",
                place=facts.head(stage),
                fix=_conversion(facts, stage, file),
            )


def _conversion(facts: Facts, stage: str, file: StageFile) -> Fix | None:
    """The fix; None for values that are too large for front matter."""
    try:
        return make_fix("Convert to markdown", *_as_markdown(facts, stage, file))
    except YamlTextError:
        return None


def _as_markdown(facts: Facts, stage: str, file: StageFile) -> tuple[Edit, ...]:
    path = markdown_path(file.path, facts.source.files)
    edits: list[Edit] = [WriteFile(path=path, text=as_markdown(file))]
    if facts.has_pipeline:
        edits.append(set_in_stage(stage, "file", value=relative_file(facts.source.main, path)))
    return (*edits, RemoveFile(path=file.path))


@stage_rule("ST112", "error", "Stage file is missing", profiles=EVERY)
def missing_file(facts: Facts) -> Iterable[Note]:
    """The pipeline names a file for this stage that the pack does not have, or names no file. The
    stage has no prompt and no contract, so a run that enters it fails. Add the file, or correct the
    path; it is relative to the pipeline's folder."""
    paths = [path for path in facts.source.files if path.endswith((".md", ".json"))]
    for stage, file in facts.source.stages.items():
        if not file.missing:
            continue
        value = facts.source.entry(stage).get("file")
        if not isinstance(value, str) or not value:
            message = f"The pipeline names no file for {stage!r}."
        else:
            message = f"The file {value!r} of {stage!r} is not in the pack."
        near = _likely_file(facts, stage, paths)
        yield Note(
            message=message,
            place=facts.entry(stage, "file"),
            hint="The path is relative to the pipeline's folder.",
            fix=make_fix(f"Use {near}", set_in_stage(stage, "file", value=near)) if near else None,
        )


def _likely_file(facts: Facts, stage: str, paths: list[str]) -> str:
    """The most likely file of a stage, as a path for the pipeline, or ""."""
    if not isinstance(facts.source.entries[stage], dict):
        return ""
    wanted = {f"{stage}.md", basename(str(facts.source.entry(stage).get("file") or ""))}
    unused = {file.path for file in facts.source.unused}
    matches = [path for path in paths if basename(path) in wanted and path in unused]
    return relative_file(facts.source.main, matches[0]) if len(matches) == 1 else ""


@stage_rule("ST113", "error", "Key and id differ", profiles=EVERY)
def key_and_id(facts: Facts) -> Iterable[Note]:
    """The key of this stage in the pipeline differs from the id in its file. Successors are looked
    up by the id in the file, so in stud-cli transitions to the key lead nowhere. Use the same id in
    both."""
    for stage, file in facts.sound.items():
        id = file.values.get("id")
        if facts.has_pipeline and isinstance(id, str) and id and id != stage:
            if _listed_twice(facts, stage):
                continue  # ST204 reports two keys with the same file.
            yield Note(
                message=f"Stage {stage!r} has the id {id!r} in its file. Use one id.",
                place=facts.head(stage, "id"),
                fix=make_fix(
                    f"Write {stage} into the file", set_in_stage(stage, "id", value=stage)
                ),
            )


def _listed_twice(facts: Facts, stage: str) -> bool:
    path = facts.source.stages[stage].path
    return facts.owners[path] > 1


@stage_rule("ST114", "hint", "Stages without a pipeline", profiles=EVERY)
def no_pipeline(facts: Facts) -> Iterable[Note]:
    """A stage file does not name its successors: in stud-cli that is program code. Signalbox keeps
    them in a pipeline.json next to the stages. Without it every stage is drawn alone and the pack
    cannot run. The fix writes a pipeline with all stages that begins with the first one."""
    stages = facts.source.stages
    if facts.has_pipeline or not stages:
        return
    first = next(iter(stages))
    yield Note(
        message="The pack has no pipeline, so its stages have no transitions.",
        place=facts.head(first),
        hint="Connect two stages, or set the entry.",
        fix=make_fix("Write a pipeline", SetEntry(id=first)),
    )


@stage_rule("ST115", "hint", "Stage is not in the pipeline", profiles=EVERY)
def unused_file(facts: Facts) -> Iterable[Note]:
    """The pack has a file with this stage, but the pipeline does not name it, so the stage is
    neither drawn nor run. Add it under `stages`, or remove the file."""
    if not facts.has_pipeline:
        return
    for file in facts.source.unused:
        yield Note(
            message=f"The stage in {file.path!r} is not in the pipeline. Add or remove it.",
            place=facts.file(file),
            fix=make_fix("Remove the file", RemoveFile(path=file.path)),
        )


@stage_rule("ST116", "warning", "Unknown format of the pipeline", profiles=EVERY)
def unknown_format(facts: Facts) -> Iterable[Note]:
    """`format` selects the format of the pipeline. This pipeline has an unknown value or none, so
    parts of it may have another meaning. Write the supported format if the file follows it."""
    format_name = facts.whole.get("format")
    if facts.has_pipeline and format_name != FORMAT:
        subject = (
            f"The format {format_name!r} of the pipeline is"
            if format_name
            else "The pipeline's format is"
        )
        yield Note(
            message=f"{subject} not {FORMAT!r}.",
            place=facts.top("format"),
            fix=make_fix("Write the supported format", set_in_pipeline("format", value=FORMAT)),
        )


@stage_rule("ST117", "hint", "Unknown key in the pipeline", profiles=EVERY)
def unknown_key(facts: Facts) -> Iterable[Note]:
    """The pipeline, or its entry of a stage, has a key that the format does not define. The key is
    kept but has no effect. Correct it if it is misspelt, or keep it as a note."""
    for key in facts.whole:
        if key not in (*KNOWN, *NOTES) and not key.startswith(("x-", "$", "_")):
            yield Note(
                message=f"The pipeline's key {key!r} has no effect.{_suggestion(key, KNOWN)}",
                place=facts.top(key),
            )
    for stage in facts.entries:
        for key in facts.source.entry(stage):
            if key not in ENTRY and not key.startswith(("x-", "$", "_")):
                yield Note(
                    message=f"The key {key!r} of {stage!r} has no effect.{_suggestion(key, ENTRY)}",
                    place=facts.entry(stage, key),
                )


def _suggestion(key: str, names: Iterable[str]) -> str:
    near = closest_name(key, names)
    return f" Did you mean {near!r}?" if near else ""


@stage_rule("ST121", "error", "Key of a stage in its next", profiles=EVERY)
def misplaced_key(facts: Facts) -> Iterable[Note]:
    """A key of the stage's entry, such as `setup`, is inside `next`, where nothing reads it. Move
    it out of `next`, to the entry of the stage."""
    for stage in facts.entries:
        following = facts.source.entry(stage).get("next")
        for key in ENTRY:
            if isinstance(following, dict) and key in following:
                yield Note(
                    message=f"{key!r} of {stage!r} is inside 'next', where it has no effect.",
                    place=facts.entry(stage, "next", key),
                    hint=f"Move it out of 'next', to the entry of {stage!r}.",
                )


@stage_rule("ST118", "error", "Stage entry is not an object", profiles=EVERY)
def entry_shape(facts: Facts) -> Iterable[Note]:
    """`stages` is an object from ids to entries, and each entry is an object with `file` and
    `next`. This value is something else, so the stage has no prompt and no successor."""
    stages = facts.whole.get("stages")
    if facts.has_pipeline and stages is not None and not isinstance(stages, dict):
        yield Note(
            message="'stages' is not an object with one entry per stage.", place=facts.top("stages")
        )
    for stage, entry in facts.source.entries.items():
        if not isinstance(entry, dict):
            yield Note(
                message=f"The entry of {stage!r} is not an object.", place=facts.entry(stage)
            )


@stage_rule("ST119", "hint", "Value added by a conversion", profiles=EVERY)
def unconfirmed_value(facts: Facts) -> Iterable[Note]:
    """This value was not in the author's files: a conversion required one and added a default with
    a comment. Check the value, and remove the comment to confirm it."""
    for stage, file in facts.heads:
        keys = keys_to_confirm(file)
        if keys:
            yield Note(
                message=f"A conversion added {quoted_list(keys)} to {stage!r}. Check and confirm.",
                place=facts.head(stage, keys[0]),
                hint="Remove the comment after each correct value.",
            )


@stage_rule("ST120", "error", "Stage object has a key that stud-cli refuses", profiles=EVERY)
def unknown_object_key(facts: Facts) -> Iterable[Note]:
    """stud-cli accepts six keys in a stage object and refuses every other one, including `name`. A
    markdown file may have more. Remove the key, or convert the object to markdown."""
    for stage, file in facts.source.stages.items():
        if file.form == "object" and file.text is not None and unknown_keys(file):
            keys = unknown_keys(file)
            yield Note(
                message=f"Stage object {stage!r} has {quoted_list(keys)}, which stud-cli refuses.",
                place=facts.head(stage, keys[0]),
                hint="A markdown file may have custom keys.",
            )
