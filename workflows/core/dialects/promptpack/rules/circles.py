"""What leads to itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping


def circles(onward: Mapping[str, Collection[str]]) -> tuple[tuple[str, ...], ...]:
    """The names that lead to each other in circles, group by group. `onward` has every name that it
    mentions. Kosaraju's two passes, without recursion."""
    back: dict[str, list[str]] = {name: [] for name in onward}
    for name, targets in onward.items():
        for target in targets:
            back[target].append(name)
    seen: set[str] = set()
    order = [name for start in onward for name in _finished(start, onward, seen)]
    seen = set()
    groups = [tuple(_finished(start, back, seen)) for start in reversed(order)]
    return tuple(
        group for group in groups if len(group) > 1 or (group and group[0] in onward[group[0]])
    )


def _finished(start: str, onward: Mapping[str, Collection[str]], seen: set[str]) -> Iterator[str]:
    """Everything newly reached from here, in the order in which it is done with."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(onward[start]))]
    while path:
        name, rest = path[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                path.append((target, iter(onward[target])))
                break
        else:
            path.pop()
            yield name
