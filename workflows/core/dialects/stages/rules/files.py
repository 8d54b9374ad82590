"""Rules over the files of a pack: what is missing, left over, or in another form than it should."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import basename

from workflows.core.dialects.stages.format.indentation import restored
from workflows.core.dialects.stages.format.repair import (
    as_markdown,
    file_named,
    markdown_path,
    marked,
    strange_keys,
)
from workflows.core.dialects.stages.format.stage_file import StageFile
from workflows.core.dialects.stages.recognise import FORMAT
from workflows.core.dialects.stages.rules.kit import set_in_pipeline, set_in_stage, stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.edits import Edit, RemoveFile, SetEntry, WriteFile
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix, quoted_list

KNOWN = ("format", "id", "name", "entryStage", "runInputSchema", "stages", "grants")
NOTES = ("description", "version", "author", "license", "tags")
"""Keys that say of themselves that they are for people."""
ENTRY = ("file", "setup", "gate", "assert", "exit", "maxVisits", "next", "onParallelFailure")


@stage_rule("ST110", "error", "Indentation is lost")
def lost_indentation(facts: Facts) -> Iterable[Note]:
    """The head of this stage was pasted without its indentation: what belongs to the completion
    schema and the retry policy stands at the top, and both are empty. Pages that show a stage drop
    the blanks when they are copied. The repaired file can be put in place with one click; look at
    the difference before saving."""
    for stage, file in facts.flattened.items():
        again = restored(file.data)
        yield Note(
            message=f"The head of {stage!r} has lost its indentation.",
            place=facts.head(stage, "completionSchema"),
            hint="Indent what belongs to completionSchema and retryPolicy by two blanks.",
            fix=make_fix("Indent it again", WriteFile(path=file.path, text=again))
            if again
            else None,
        )


@stage_rule("ST111", "hint", "Stage object instead of markdown")
def stage_object(facts: Facts) -> Iterable[Note]:
    """This stage is a JSON object, the form that the source code of stud-cli has. It is read and
    runs, but the format's own page knows markdown files alone. Turned into one, it needs a name, a
    retry policy and a resolution policy, which the object does not have; they are made up and
    marked until you confirm them."""
    for stage, file in facts.source.stages.items():
        if file.form == "object" and file.text is not None:
            yield Note(
                message=f"The stage {stage!r} is a stage object, not a markdown file.",
                place=facts.head(stage),
                fix=make_fix("Turn it into markdown", *_as_markdown(facts, stage, file)),
            )


def _as_markdown(facts: Facts, stage: str, file: StageFile) -> tuple[Edit, ...]:
    path = markdown_path(file.path, facts.source.files)
    edits: list[Edit] = [WriteFile(path=path, text=as_markdown(file))]
    if facts.has_pipeline:
        edits.append(set_in_stage(stage, "file", value=file_named(facts.source.main, path)))
    return (*edits, RemoveFile(path=file.path))


@stage_rule("ST112", "error", "Stage file is missing")
def missing_file(facts: Facts) -> Iterable[Note]:
    """The pipeline names a file for this stage that the pack does not have, or names none at all.
    The stage has no prompt and no contract, so a run that comes to it fails. Add the file, or
    correct the name; it is read from the pipeline's own folder."""
    paths = [path for path in facts.source.files if path.endswith((".md", ".json"))]
    for stage, file in facts.source.stages.items():
        if not file.missing:
            continue
        given = facts.source.entry(stage).get("file")
        if not isinstance(given, str) or not given:
            message = f"The pipeline names no file for {stage!r}."
        else:
            message = f"The file {given!r} of {stage!r} is not in the pack."
        near = _near(facts, stage, paths)
        yield Note(
            message=message,
            place=facts.entry(stage, "file"),
            hint="The path is read from the folder of the pipeline.",
            fix=make_fix(f"Use {near}", set_in_stage(stage, "file", value=near)) if near else None,
        )


def _near(facts: Facts, stage: str, paths: list[str]) -> str:
    """The file that a stage most likely means, as the pipeline would name it."""
    if not isinstance(facts.source.entries[stage], dict):
        return ""
    wanted = {f"{stage}.md", basename(str(facts.source.entry(stage).get("file") or ""))}
    unused = {file.path for file in facts.source.unused}
    found = [path for path in paths if basename(path) in wanted and path in unused]
    return file_named(facts.source.main, found[0]) if len(found) == 1 else ""


@stage_rule("ST113", "error", "Key and id differ")
def key_and_id(facts: Facts) -> Iterable[Note]:
    """The pipeline lists this stage under one name and its file has another as its id. Ids come
    from the files; successors are looked up by them, so arrows towards the key lead nowhere in
    stud-cli. Write the same in both places."""
    for stage, file in facts.sound.items():
        id = file.values.get("id")
        if facts.has_pipeline and isinstance(id, str) and id and id != stage:
            if _listed_twice(facts, stage):
                continue  # another key of the same file: ST204 speaks of that
            yield Note(
                message=f"The pipeline calls this stage {stage!r}, its file {id!r}.",
                place=facts.head(stage, "id"),
                fix=make_fix(
                    f"Write {stage} into the file", set_in_stage(stage, "id", value=stage)
                ),
            )


def _listed_twice(facts: Facts, stage: str) -> bool:
    path = facts.source.stages[stage].path
    return facts.owners[path] > 1


@stage_rule("ST114", "hint", "Stages without a pipeline")
def no_pipeline(facts: Facts) -> Iterable[Note]:
    """A stage does not say what comes after it: in stud-cli that is program code. Here it stands
    in a pipeline.json beside the stages, and without one each stage is drawn alone and nothing can
    run. The button writes a pipeline that names every stage and begins with the first one."""
    stages = facts.source.stages
    if facts.has_pipeline or not stages:
        return
    first = next(iter(stages))
    yield Note(
        message="No pipeline says what comes after each stage.",
        place=facts.head(first),
        hint="Draw an arrow, or choose where a run begins.",
        fix=make_fix("Write a pipeline", SetEntry(id=first)),
    )


@stage_rule("ST115", "hint", "Stage that no pipeline names")
def unused_file(facts: Facts) -> Iterable[Note]:
    """This stage lies beside the others, but the pipeline does not name its file, so it is neither
    drawn nor run. Name it under `stages`, or remove the file if it is left over."""
    if not facts.has_pipeline:
        return
    for file in facts.source.unused:
        yield Note(
            message=f"The pipeline does not name the stage in {file.path}.",
            place=facts.file(file),
            fix=make_fix("Remove the file", RemoveFile(path=file.path)),
        )


@stage_rule("ST116", "warning", "Unknown format of the pipeline")
def unknown_format(facts: Facts) -> Iterable[Note]:
    """`format` says which reading of the file applies. This pipeline has another one than the one
    that is known here, or none, so parts of it may mean something else. Write the known format if
    the file follows it."""
    given = facts.whole.get("format")
    if facts.has_pipeline and given != FORMAT:
        said = f"The format {given!r} of the pipeline is" if given else "The pipeline's format is"
        yield Note(
            message=f"{said} not {FORMAT!r}.",
            place=facts.top("format"),
            fix=make_fix("Write the known format", set_in_pipeline("format", value=FORMAT)),
        )


@stage_rule("ST117", "hint", "Key that the pipeline does not know")
def unknown_key(facts: Facts) -> Iterable[Note]:
    """The pipeline, or what it says about a stage, has a key that means nothing here. It is kept,
    but nothing reads it; a misspelt key has no effect. Correct it, or leave it as a note of your
    own."""
    for key in facts.whole:
        if key not in (*KNOWN, *NOTES) and not key.startswith(("x-", "$", "_")):
            yield Note(
                message=f"The pipeline's key {key!r} has no effect.{_meant(key, KNOWN)}",
                place=facts.top(key),
            )
    for stage in facts.entries:
        for key in facts.source.entry(stage):
            if key not in ENTRY and not key.startswith(("x-", "$", "_")):
                yield Note(
                    message=f"The key {key!r} of {stage!r} has no effect.{_meant(key, ENTRY)}",
                    place=facts.entry(stage, key),
                )


def _meant(key: str, known: Iterable[str]) -> str:
    near = closest(key, known)
    return f" Is {near!r} meant?" if near else ""


@stage_rule("ST118", "error", "Stage is no object")
def entry_shape(facts: Facts) -> Iterable[Note]:
    """What the pipeline says about a stage is an object with `file` and `next`; `stages` itself is
    an object from names to such objects. Here it is something else, so the stage has neither prompt
    nor successor."""
    stages = facts.whole.get("stages")
    if facts.has_pipeline and stages is not None and not isinstance(stages, dict):
        yield Note(
            message="`stages` is not an object with one entry per stage.", place=facts.top("stages")
        )
    for stage, entry in facts.source.entries.items():
        if not isinstance(entry, dict):
            yield Note(
                message=f"The entry of {stage!r} is not an object.", place=facts.entry(stage)
            )


@stage_rule("ST119", "hint", "Value that was made up")
def made_up(facts: Facts) -> Iterable[Note]:
    """This value was not in the author's files: a conversion needed one and put the mildest there,
    with a comment that says so. Decide what it should be, and remove the comment to confirm it."""
    for stage, file in facts.heads:
        keys = marked(file)
        if keys:
            yield Note(
                message=f"A conversion invented {quoted_list(keys)} of {stage!r}.",
                place=facts.head(stage, keys[0]),
                hint="Remove the comment behind each value that is right.",
            )


@stage_rule("ST120", "error", "Key that a stage object may not have")
def strange_key(facts: Facts) -> Iterable[Note]:
    """stud-cli accepts six keys in a stage object and refuses every other one, `name` included.
    A markdown file may have more. Remove the key, or turn the object into markdown."""
    for stage, file in facts.source.stages.items():
        if file.form == "object" and file.text is not None and strange_keys(file):
            keys = strange_keys(file)
            yield Note(
                message=f"The stage object {stage!r} may not have {quoted_list(keys)}.",
                place=facts.head(stage, keys[0]),
                hint="A markdown file may have keys of your own.",
            )
