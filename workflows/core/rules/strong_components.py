"""Strongly connected components of a mapping from names to their successors. In linear time."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def cyclic_components(onward: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The components that contain a cycle; successors come first."""
    return [part for part in components(onward) if len(part) > 1 or part[0] in onward[part[0]]]


def components(onward: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Strongly connected components, successors first (Tarjan's algorithm, with an explicit stack
    instead of recursion). Names that are no keys are left out."""
    order: dict[str, int] = {}  # The number of each visited name, `finished` for finished parts.
    finished = len(onward)
    low: dict[str, int] = {}
    path: list[str] = []
    result: list[list[str]] = []
    for root in onward:
        if root in order:
            continue
        work = [(root, iter(onward[root]))]
        order[root] = low[root] = len(order)
        path.append(root)
        while work:
            name, rest = work[-1]
            lowest = low[name]
            for target in rest:
                number = order.get(target)
                if number is None:
                    if target in onward:
                        low[name] = lowest
                        order[target] = low[target] = len(order)
                        path.append(target)
                        work.append((target, iter(onward[target])))
                        break
                elif number < lowest:
                    lowest = number
            else:
                work.pop()
                if lowest == order[name]:
                    part = _cut(path, name)
                    order.update(dict.fromkeys(part, finished))
                    result.append(part)
                elif lowest < low[work[-1][0]]:
                    low[work[-1][0]] = lowest
    return result


def _cut(path: list[str], name: str) -> list[str]:
    """Remove a finished component from the path: every name down to its first one."""
    at = len(path) - 1
    while path[at] != name:
        at -= 1
    members = path[at:]
    del path[at:]
    return members
