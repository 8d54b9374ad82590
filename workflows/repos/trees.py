"""Git trees with some files replaced and every other entry untouched."""

from __future__ import annotations

import stat
from collections.abc import Mapping

from dulwich.object_store import BaseObjectStore
from dulwich.objects import Blob, ObjectID, Tree

from workflows.errors import RepositoryRefused

REGULAR_FILE = 0o100644


def tree_with(
    store: BaseObjectStore, root: ObjectID | None, files: Mapping[str, bytes]
) -> ObjectID:
    """The id of a tree like `root` (None is the empty tree) with these files in it.

    Raises RepositoryRefused where a path would run through a file, a link or a submodule.
    """
    return _write_tree(store, root, _nested(files), "")


_Nested = dict[str, "bytes | _Nested"]


def _nested(files: Mapping[str, bytes]) -> _Nested:
    top: _Nested = {}
    for path, data in files.items():
        *folders, name = path.split("/")
        here = top
        for folder in folders:
            inner = here.setdefault(folder, {})
            if isinstance(inner, bytes):
                raise RepositoryRefused(f"{path} lies below a path that is a file.", where=path)
            here = inner
        if isinstance(here.get(name), dict):
            raise RepositoryRefused(f"{path} is both a file and a folder.", where=path)
        here[name] = data
    return top


def _write_tree(
    store: BaseObjectStore, base: ObjectID | None, wanted: _Nested, folder: str
) -> ObjectID:
    found = store[base] if base else Tree()
    assert isinstance(found, Tree)
    tree = Tree()
    for entry in found.items():
        tree.add(entry.path, entry.mode, entry.sha)
    for name, content in wanted.items():
        key = name.encode()
        path = f"{folder}{name}"
        there = key in tree
        mode, sha = tree[key] if there else (None, None)
        if isinstance(content, bytes):
            if mode is not None and not stat.S_ISREG(mode):
                raise RepositoryRefused(
                    f"{path} is a folder, a link or a submodule there, not a file.",
                    where=path,
                    hint="Choose another folder.",
                )
            blob = Blob.from_string(content)
            store.add_object(blob)
            tree.add(key, mode or REGULAR_FILE, blob.id)
        else:
            if mode is not None and not stat.S_ISDIR(mode):
                raise RepositoryRefused(
                    f"{path} is a file, a link or a submodule there, not a folder.",
                    where=path,
                    hint="Choose another folder.",
                )
            tree.add(key, stat.S_IFDIR, _write_tree(store, sha, content, f"{path}/"))
    store.add_object(tree)
    return tree.id
