"""A new, copied or renamed state has a prompt of its own, in every dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workflows.core.dialects import dialects
from workflows.core.pack.edits import AddState, DuplicateState, Edit, Paste, RenameState
from workflows.core.pack.files import Files


class Author:
    """A sample of a dialect, edited step by step."""

    def __init__(self, dialect: str, sample: str) -> None:
        self.dialect = dialects()[dialect]
        self.source: Any = self.dialect.read(self.dialect.samples()[sample])

    def edit(self, *edits: Edit) -> Files:
        for one in edits:
            self.source = self.dialect.apply(self.source, one)
        return self.files

    @property
    def files(self) -> Files:
        files: Files = self.source.files
        return files

    def state(self, id: str) -> Any:
        graph = self.dialect.graph(self.source, self.dialect.profiles[0])
        return next(state for state in graph.states if state.id == id)

    def form(self, element: str) -> Any:
        return self.dialect.fields(self.source, element, self.dialect.profiles[0])


def _promptpack_prompt(author: Author, id: str) -> str:
    key: str = json.loads(author.files[author.source.main])["workflow"]["states"][id]["prompt_task"]
    return key


def _registry_prompt(author: Author, id: str) -> str:
    return str(author.state(id).role)


def _stage_prompt(author: Author, id: str) -> str:
    return str(author.source.stages[id].path)


def _graph_prompt(author: Author, id: str) -> str:
    role = str(author.source.shape.nodes[id].role)
    assert role in author.source.template_files
    return role


CASES: list[tuple[str, str, str, str, Callable[[Author, str], str]]] = [
    ("promptpack", "blank", "internal", "step", _promptpack_prompt),
    ("steps_registry", "review-loop", "work", "continuation.step", _registry_prompt),
    ("stages", "review-loop", "stage", "new-stage", _stage_prompt),
    ("agent_graph", "feature-team", "agent", "agent", _graph_prompt),
]
each_dialect = pytest.mark.parametrize(("dialect", "sample", "kind", "id", "prompt"), CASES)


@each_dialect
def test_every_new_state_has_its_own_prompt(
    dialect: str, sample: str, kind: str, id: str, prompt: Callable[[Author, str], str]
) -> None:
    """Three states added and renamed in turn, as from the palette."""
    author = Author(dialect, sample)
    names = [f"{id.rpartition('.')[0]}.{name}".strip(".") for name in ("bill", "refund", "close")]
    for name in names:
        author.edit(AddState(id=id, kind=kind), RenameState(id=id, new_id=name))
    prompts = [prompt(author, name) for name in names]
    assert len(set(prompts)) == 3
    for name, key in zip(("bill", "refund", "close"), prompts, strict=True):
        assert name in key, "the prompt is named after its state"
    assert [author.state(name).prompt_users for name in names] == [0, 0, 0]


@each_dialect
def test_a_duplicated_state_has_its_own_prompt(
    dialect: str, sample: str, kind: str, id: str, prompt: Callable[[Author, str], str]
) -> None:
    author = Author(dialect, sample)
    author.edit(AddState(id=id, kind=kind))
    author.edit(DuplicateState(id=id, new_id=f"{id}-b"), DuplicateState(id=id, new_id=f"{id}-c"))
    assert len({prompt(author, one) for one in (id, f"{id}-b", f"{id}-c")}) == 3


@each_dialect
def test_a_pasted_state_has_its_own_prompt(
    dialect: str, sample: str, kind: str, id: str, prompt: Callable[[Author, str], str]
) -> None:
    author = Author(dialect, sample)
    author.edit(AddState(id=id, kind=kind))
    fragment = author.dialect.copy(author.source, (id,))
    author.edit(Paste(fragment=fragment), Paste(fragment=fragment))
    assert len({prompt(author, one) for one in (id, f"{id}-2", f"{id}-3")}) == 3


@each_dialect
def test_a_rename_and_its_reverse_restore_every_byte(
    dialect: str, sample: str, kind: str, id: str, prompt: Callable[[Author, str], str]
) -> None:
    author = Author(dialect, sample)
    before = author.edit(AddState(id=id, kind=kind))
    author.edit(RenameState(id=id, new_id=f"{id}-other"))
    assert author.edit(RenameState(id=f"{id}-other", new_id=id)) == before


def test_a_shared_prompt_is_named_on_the_card_and_at_the_field() -> None:
    author = Author("promptpack", "customer-support")
    assert author.state("handover").prompt_users == author.state("with_colleague").prompt_users == 2
    assert author.state("intake").prompt_users == 0
    field = author.form("state:handover").schema["properties"]["prompt_task"]
    assert field["description"].startswith("Shared with with_colleague. A change of this prompt")
    text = author.form("prompt:handover").schema["properties"]["system_template"]
    assert text["description"].startswith("Shared by handover, with_colleague.")
    intake = author.form("state:intake").schema["properties"]["prompt_task"]
    assert "Shared" not in intake.get("description", "")


def test_a_shared_prompt_stays_where_it_is_when_one_of_its_states_is_renamed() -> None:
    author = Author("promptpack", "customer-support")
    author.edit(RenameState(id="handover", new_id="pass_on"))
    assert _promptpack_prompt(author, "pass_on") == "handover"
    assert _promptpack_prompt(author, "with_colleague") == "handover"


def test_a_prompt_that_its_author_named_differently_keeps_its_name() -> None:
    author = Author("promptpack", "code-review")
    author.edit(RenameState(id="done", new_id="finished"))
    assert _promptpack_prompt(author, "finished") == "summarise"


def test_an_unused_prompt_of_that_name_is_taken_and_a_used_one_is_not() -> None:
    author = Author("promptpack", "code-review")
    author.edit(AddState(id="summarise"))
    assert _promptpack_prompt(author, "summarise") == "summarise-2"


def test_a_cut_and_pasted_state_keeps_its_prompt() -> None:
    from workflows.core.pack.edits import RemoveState

    author = Author("promptpack", "code-review")
    fragment = author.dialect.copy(author.source, ("review",))
    author.edit(RemoveState(id="review"), Paste(fragment=fragment))
    assert _promptpack_prompt(author, "review") == "review"


def test_steps_of_a_composition_have_their_own_prompts() -> None:
    author = Author("promptpack", "mail-triage")
    author.edit(
        AddState(id="triage/step", kind="prompt"),
        RenameState(id="triage/step", new_id="triage/weigh"),
        AddState(id="triage/step", kind="prompt"),
        DuplicateState(id="triage/step", new_id="triage/step_copy"),
    )
    tasks = [author.state(f"triage/{id}").role for id in ("weigh", "step", "step_copy")]
    assert tasks == ["weigh", "step", "step_copy"]


def test_ids_of_validators_stay_unique_in_a_copied_prompt() -> None:
    author = Author("promptpack", "blank")
    tree = json.loads(author.files[author.source.main])
    tree["prompts"]["start"]["validators"] = [{"id": "short", "type": "max_length"}]
    author.source = author.dialect.read(Files.of({author.source.main: json.dumps(tree).encode()}))
    files = author.edit(DuplicateState(id="start", new_id="again"))
    prompts = json.loads(files[author.source.main])["prompts"]
    assert prompts["again"]["validators"][0]["id"] == "short-2"
