"""Archives that other programs made."""

from __future__ import annotations

import io
import zipfile

import pytest

from workflows.core.pack.archives import unpack
from workflows.core.pack.files import BadFiles


def _zip(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, b"" if name.endswith(("/", "\\")) else b"text")
    return made.getvalue()


def test_backslashes_of_windows_separate_folders() -> None:
    packed = _zip("pack\\", "pack\\pipeline.json", "pack\\stages\\plan.md", "__MACOSX\\x")
    assert set(unpack(packed)) == {"pack/pipeline.json", "pack/stages/plan.md"}


@pytest.mark.parametrize("names", [("..\\a.md",), ("C:\\a.md",), ("\\a.md",), ("a\\b", "a/b")])
def test_backslashes_lead_out_of_no_folder(names: tuple[str, ...]) -> None:
    with pytest.raises(BadFiles):
        unpack(_zip(*names))
