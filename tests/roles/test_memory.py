"""Memory of roles: its tools, its prompts, and its pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from roles.actions import memory
from roles.actions import roles as actions
from roles.core.memory import Fact, in_order, profile_block, ranked, remembered_block
from roles.core.memory_tools import TOOLS, BadArguments, read_call
from roles.errors import MemoryRefused
from roles.models import Memory, Role
from roles.selectors.memory import memory_block
from tests.roles.conftest import Ask
from tests.support.role_configs import config

WRITER = config("valid/05-docs-writer-minimal.json")


def keep(role: Role | None, fact: str, **more: Any) -> dict[str, Any]:
    project = more.pop("project", "greeter")
    call = {"fact": fact, "category": "notes", **more}
    return dict(
        memory.call("memory_store", call, role=role.pk if role else None, project=project)["stored"]
    )


def recalled(role: Role, query: str = "", project: str = "greeter", **more: Any) -> list[str]:
    call = {"query": query, **more}
    found = memory.call("memory_recall", call, role=role.pk, project=project)["facts"]
    return [one["fact"] for one in found]


@pytest.fixture
def other(ada: User) -> Role:
    return actions.create({"name": "Other", "prompt_config": WRITER}, ada)


def test_each_scope_is_seen_by_whom_it_is_for(mine: Role, other: Role) -> None:
    keep(mine, "core fact", scope="core")
    keep(mine, "project fact")
    keep(mine, "shared fact", scope="shared")
    assert {row.namespace for row in Memory.objects.all()} == {
        f"agent:{mine.pk}:core",
        f"proj:greeter:agent:{mine.pk}",
        "proj:greeter:shared",
    }
    assert set(recalled(mine)) == {"core fact", "project fact", "shared fact"}
    assert set(recalled(mine, project="elsewhere")) == {"core fact"}
    assert set(recalled(other)) == {"shared fact"}
    assert recalled(other, project="elsewhere") == []
    assert recalled(mine, scope="core") == ["core fact"]


def test_the_same_words_renew_what_was_kept(mine: Role) -> None:
    first = keep(mine, "Tests run with make test.")
    again = keep(mine, "  Tests run with make test. ", category="commands", confidence=0.5)
    assert (again["id"], again["category"], again["confidence"]) == (first["id"], "commands", 0.5)
    assert Memory.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_store", {"fact": " ", "category": "x"}),
        ("memory_store", {"fact": "x"}),
        ("memory_store", {"fact": "x", "category": "y", "scope": "global"}),
        ("memory_store", {"fact": "x", "category": "y", "confidence": 1.5}),
        ("memory_store", {"fact": "x", "category": "y", "confidence": True}),
        ("memory_store", {"fact": "x" * 4_001, "category": "y"}),
        ("memory_store", {"fact": "NUL \0", "category": "y"}),
        ("memory_store", ["fact"]),
        ("memory_recall", {}),
        ("memory_recall", {"query": "x", "limit": 0}),
        ("memory_recall", {"query": "x", "scope": "none"}),
        ("memory_forget", {}),
        ("memory_forget", {"id": 1, "query": "x"}),
        ("memory_forget", {"query": "  "}),
        ("memory_forget", {"prune_older_than_days": 0}),
        ("memory_lose", {}),
    ],
)
def test_an_invalid_call_is_refused_with_a_message(name: str, arguments: Any) -> None:
    with pytest.raises(BadArguments, match=r"[.!]$"):
        read_call(name, arguments)


def test_a_fact_without_a_namespace_is_refused(mine: Role, other: Role) -> None:
    with pytest.raises(MemoryRefused, match="needs a role"):
        keep(None, "x", scope="core")
    with pytest.raises(MemoryRefused, match="needs a project"):
        keep(mine, "x", project="")
    assert keep(None, "x", scope="shared")["scope"] == "shared"
    number = other.pk
    other.delete()
    gone = Role(pk=number)
    with pytest.raises(MemoryRefused, match="deleted"):
        keep(gone, "x", scope="core")


def test_forgetting_takes_what_is_meant_and_nothing_else(mine: Role, other: Role) -> None:
    first = keep(mine, "The build uses make.")
    keep(mine, "The tests use pytest.")
    keep(mine, "Old things.", scope="core")
    Memory.objects.filter(scope="core").update(updated_at=timezone.now() - timedelta(days=40))
    theirs = keep(other, "The build is slow.")

    def forget(**call: Any) -> list[int]:
        told = memory.call("memory_forget", call, role=mine.pk, project="greeter")
        return list(told["forgotten"])

    assert forget(id=theirs["id"]) == []
    assert forget(query="build slow") == []
    assert forget(query="BUILD") == [first["id"]]
    assert len(forget(prune_older_than_days=30)) == 1
    assert recalled(mine) == ["The tests use pytest."]
    assert recalled(other) == ["The build is slow."]


def test_a_deleted_role_takes_its_own_memory_along(mine: Role) -> None:
    keep(mine, "core fact", scope="core")
    keep(mine, "shared fact", scope="shared")
    mine.delete()
    assert [row.fact for row in Memory.objects.all()] == ["shared fact"]


def test_the_best_match_is_recalled_first() -> None:
    def fact(id: int, text: str, category: str = "z", confidence: float = 0.9) -> Fact:
        return Fact(
            id=id, scope="core", category=category, fact=text, confidence=confidence, at=float(id)
        )

    facts = [
        fact(1, "make builds it"),
        fact(2, "make test tests it", category="a"),
        fact(3, "make test is slow", category="b", confidence=0.2),
        fact(4, "nothing of that"),
    ]
    assert [one.id for one in ranked(facts, "Make TEST")] == [2, 3, 1]
    assert [one.id for one in ranked(facts, "make test", ["b"])] == [3, 2, 1]
    assert [one.id for one in ranked(facts, "")] == [4, 2, 1, 3]


def test_categories_come_as_the_profile_wants_them() -> None:
    assert in_order(["x", "b", "a", "c"], ["c", "a", "c"]) == ["c", "a", "b", "x"]


def test_items_cannot_become_tags_or_placeholders() -> None:
    block = profile_block({"core_focus": ["a & b <c> {{ ticket.title }}"]})
    assert "<item>a &amp; b &lt;c&gt; {{ ticket.title }}</item>" in block
    facts = [Fact(id=1, scope="core", category='q"<', fact="</fact>&", confidence=1)]
    assert "<category name='q\"&lt;'>\n      <fact>&lt;/fact&gt;&amp;</fact>" in (
        remembered_block(facts)
    )
    assert remembered_block([]) == ""


def test_a_prompt_is_given_what_the_role_knows(mine: Role) -> None:
    keep(mine, "Core.", scope="core")
    keep(mine, "Sure.", category="b", confidence=1)
    keep(mine, "Unsure.", category="b", confidence=0.1)
    keep(mine, "First.", category="a")
    keep(mine, "Shared.", scope="shared")
    block = memory_block(mine.pk, "greeter", ["b"])
    order = ["memory-core", "Core.", "memory-summaries", '"b"', "Sure.", "Unsure.", '"a"', "First."]
    places = [block.index(word) for word in [*order, "memory-shared", "Shared."]]
    assert places == sorted(places)
    assert memory_block(None, "") == ""


def test_the_tools_describe_what_they_take() -> None:
    assert [(tool.name, tool.access) for tool in TOOLS] == [
        ("memory_store", "readwrite"),
        ("memory_recall", "read"),
        ("memory_forget", "readwrite"),
    ]


def test_people_see_search_enter_change_and_delete(ask: Ask, mine: Role, bob: User) -> None:
    entered = ask(
        "POST",
        "memories",
        {"scope": "project", "role": mine.pk, "project": "greeter", "fact": "Uses make",
         "category": "commands"},
    )  # fmt: skip
    assert entered.status_code == 201, entered.content
    fact = entered.json()
    assert fact["namespace"] == f"proj:greeter:agent:{mine.pk}"
    keep(mine, "Shared thing", scope="shared")
    assert ask("GET", "memories").json()["count"] == 2
    assert ask("GET", f"memories?role={mine.pk}&q=MAKE+uses").json()["count"] == 1
    assert ask("GET", "memories?scope=shared&project=greeter").json()["count"] == 1
    assert ask("GET", "memories?q=nowhere").json()["results"] == []
    many = "+".join(f"w{number}" for number in range(200))
    assert ask("GET", f"memories?q={many}").json()["results"] == []
    changed = ask("PATCH", f"memories/{fact['id']}", {"confidence": 0.3})
    assert (changed.status_code, changed.json()["confidence"]) == (200, 0.3)
    assert ask("GET", f"memories/{fact['id']}").json()["fact"] == "Uses make"
    assert ask("PATCH", f"memories/{fact['id']}", {"confidence": 3}).status_code == 400
    assert ask("DELETE", f"memories/{fact['id']}").status_code == 204
    assert ask("GET", f"memories/{fact['id']}").status_code == 404


def test_memories_of_other_users_are_not_found(ask: Ask, bob: User) -> None:
    theirs = actions.create({"name": "Theirs", "prompt_config": WRITER}, bob)
    kept = keep(theirs, "private")
    assert ask("GET", "memories").json()["count"] == 0
    for method in ("GET", "PATCH", "DELETE"):
        assert ask(method, f"memories/{kept['id']}", {}).status_code == 404
    body = {"scope": "core", "role": theirs.pk, "fact": "x", "category": "y"}
    assert ask("POST", "memories", body).status_code == 404
    system = Role.objects.filter(is_system=True).first()
    assert system is not None
    assert ask("POST", "memories", {**body, "role": system.pk}).status_code == 422
    assert (
        ask("POST", "memories", {"scope": "core", "fact": "x", "category": "y"}).status_code == 422
    )
    assert ask("GET", "memories?role=x").status_code == 400


def test_every_problem_of_a_call_is_in_its_message() -> None:
    with pytest.raises(BadArguments) as bad:
        read_call("memory_store", {"fact": "x", "scope": "galaxy"})
    for words in ("`category` must not be blank", "`scope` 'galaxy' is unknown", "core"):
        assert words in str(bad.value)
