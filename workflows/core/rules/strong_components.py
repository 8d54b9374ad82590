"""Strongly connected components of a mapping from names to their successors. In linear time."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def cyclic_components(onward: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The components that contain a cycle; successors come first."""
    return [part for part in components(onward) if len(part) > 1 or part[0] in onward[part[0]]]


def components(onward: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Strongly connected components, successors first (Tarjan's algorithm, with an explicit stack
    instead of recursion). Names that are no keys are left out."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    on_path: set[str] = set()
    path: list[str] = []
    result: list[list[str]] = []
    for root in onward:
        if root in order:
            continue
        work = [(root, iter(onward[root]))]
        order[root] = low[root] = len(order)
        path.append(root)
        on_path.add(root)
        while work:
            name, rest = work[-1]
            for target in rest:
                if target in on_path:
                    low[name] = min(low[name], order[target])
                elif target not in order and target in onward:
                    order[target] = low[target] = len(order)
                    path.append(target)
                    on_path.add(target)
                    work.append((target, iter(onward[target])))
                    break
            else:
                work.pop()
                if work:
                    below = work[-1][0]
                    low[below] = min(low[below], low[name])
                if low[name] == order[name]:
                    result.append(_cut(path, on_path, name))
    return result


def _cut(path: list[str], on_path: set[str], name: str) -> list[str]:
    """Remove a finished component from the path: every name down to its first one."""
    members: list[str] = []
    while not members or members[-1] != name:
        members.append(path.pop())
        on_path.discard(members[-1])
    return members[::-1]
