"""Bills of materials and licences of a release."""

from __future__ import annotations

from email.message import Message
from typing import Any

import pytest

from scripts.licences import (
    UNKNOWN,
    family,
    javascript_licences,
    licence_of,
    problems,
    python_licences,
)
from scripts.locked_packages import (
    REQUIREMENTS,
    LockedPackage,
    javascript_packages,
    python_packages,
)
from scripts.sbom import InvalidBom, javascript_bom, python_bom, validate
from tests.support.checks import each_row


def identity(components: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {
        (f"{one.get('group', '')}/{one['name']}".lstrip("/"), one["version"]) for one in components
    }


@pytest.mark.slow
def test_the_python_bill_lists_each_locked_package_with_hashes_and_licence() -> None:
    bom = python_bom()
    validate(bom)
    locked = {(package.name, package.version) for package in python_packages(REQUIREMENTS)}
    assert len(locked) > 50
    assert identity(bom["components"]) == locked
    for component in bom["components"]:
        assert component["licenses"], component["name"]
        assert any("hashes" in one for one in component["externalReferences"]), component["name"]


def test_the_javascript_bill_lists_each_package_of_the_canvas_and_no_build_tool() -> None:
    bom = javascript_bom()
    validate(bom)
    locked = {(package.name, package.version) for package in javascript_packages(dev=False)}
    assert len(locked) > 20
    assert identity(bom["components"]) == locked
    assert all(component.get("licenses") for component in bom["components"])
    assert "vite" not in {component["name"] for component in bom["components"]}


def test_a_bill_that_does_not_fit_the_schema_is_refused() -> None:
    with pytest.raises(InvalidBom):
        validate({"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"type": "x"}]})


def test_every_licence_of_a_release_is_allowed() -> None:
    assert problems() == []
    assert len(python_licences()) > 50
    assert len(javascript_licences()) > 20


@each_row(
    [
        ("MIT", "permissive"),
        ("Apache-2.0 OR GPL-3.0-only", "permissive"),
        ("Apache-2.0 AND CNRI-Python", "permissive"),
        ("MIT AND MPL-2.0", "weak copyleft"),
        ("(MIT OR GPL-2.0-only) AND BSD-2-Clause", "permissive"),
        ("GPL-3.0-only", UNKNOWN),
        ("MIT AND AGPL-3.0-or-later", UNKNOWN),
        ("GPL-2.0-only WITH Classpath-exception-2.0", UNKNOWN),
        ("BSD", UNKNOWN),
        ("", UNKNOWN),
    ]
)
def test_the_family_of_an_expression(expression: str, expected: str) -> None:
    assert family(expression) == expected


def test_a_new_licence_outside_the_families_is_a_problem() -> None:
    package = LockedPackage(ecosystem="PyPI", name="example", version="1.0")
    (problem,) = problems({package: "GPL-3.0-only"})
    assert "example 1.0 (PyPI): the licence 'GPL-3.0-only'" in problem
    assert problems({package: UNKNOWN})
    assert not problems({package: "MIT"})


@each_row(
    [
        ([("License-Expression", "MIT")], "MIT"),
        ([("License", "Apache 2.0")], "Apache-2.0"),
        ([("License", "MIT License\n\nCopyright")], "MIT"),
        ([("Classifier", "License :: OSI Approved :: MIT License")], "MIT"),
        ([("License", "GPLv3"), ("Classifier", "Topic :: Text")], "GPLv3"),
        (
            [
                ("Classifier", "License :: OSI Approved :: MIT License"),
                ("Classifier", "License :: OSI Approved :: GNU General Public License (GPL)"),
            ],
            "MIT License / GNU General Public License (GPL)",
        ),
        ([], UNKNOWN),
    ]
)
def test_the_licence_of_a_package_is_read_from_its_metadata(
    fields: list[tuple[str, str]], expected: str
) -> None:
    data = Message()
    for name, value in fields:
        data[name] = value
    assert licence_of("example", data) == expected
