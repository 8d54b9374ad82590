/** Command: search states and transitions by name, and select a match. */

import { useMemo, useState } from "react";
import { createStore, useStore } from "zustand";
import { session, shortId, useSession, type GraphMaps } from "../../../session";
import { useStage } from "../../view/stageContext";
import type { Gesture } from "../gesture";
import { keyOf } from "../../../ui/keys";
import { Mono } from "../../../ui/Mono";

const MAX_MATCHES = 40;
const searchBox = createStore<{ open: boolean }>(() => ({ open: false }));

export interface Match {
  element: string;
  text: string;
  about: string;
}

/**
 * Matches, best first: ids that begin with the query, then ids and names that contain it, then
 * transitions.
 */
export function findMatches(graph: GraphMaps, query: string): Match[] {
  const needle = query.trim().toLowerCase();
  const ranked: { rank: number; match: Match }[] = [];
  for (const state of graph.states.values()) {
    const id = state.id.toLowerCase();
    const all = `${id} ${state.name.toLowerCase()} ${state.role.toLowerCase()} ${state.kind}`;
    if (!all.includes(needle)) continue;
    const rank = shortId(state.id, state.level).toLowerCase().startsWith(needle)
      ? 0
      : id.includes(needle)
        ? 1
        : 2;
    const about = state.name && state.name !== state.id ? state.name : state.kind;
    ranked.push({ rank, match: { element: `state:${state.id}`, text: state.id, about } });
  }
  if (needle)
    for (const arrow of graph.transitions.values())
      if (arrow.label.toLowerCase().includes(needle)) {
        const about = `${arrow.source} → ${arrow.target || "end"}`;
        const match = { element: `transition:${arrow.id}`, text: arrow.label, about };
        ranked.push({ rank: 3, match });
      }
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_MATCHES)
    .map(({ match }) => match);
}

function Layer() {
  const open = useStore(searchBox, (state) => state.open);
  return open && <SearchBox />;
}

function SearchBox() {
  const stage = useStage();
  const graph = useSession((state) => state.fullGraph);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const matches = useMemo(() => findMatches(graph, query), [graph, query]);
  const close = () => {
    searchBox.setState({ open: false });
    stage.element?.focus({ preventScroll: true });
  };
  const go = (match: Match | undefined) => {
    if (match) session.focus(match.element);
  };
  const keys = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (keyOf(event) === "Escape") close();
    const step = keyOf(event) === "ArrowDown" ? 1 : keyOf(event) === "ArrowUp" ? -1 : 0;
    if (step && matches.length) {
      event.preventDefault();
      setAt((at + step + matches.length) % matches.length);
    }
    if (keyOf(event) === "Enter") {
      go(matches[at]);
      if (!event.shiftKey) close();
    }
  };
  return (
    <div className="popup search-box" role="dialog" aria-label="Search the canvas" onKeyDown={keys}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="canvas-matches"
        aria-activedescendant={matches[at] ? `canvas-match-${at}` : undefined}
        aria-label="Search states and arrows"
        placeholder="Search states and arrows…"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onBlur={(event) => {
          if (!(
            event.relatedTarget instanceof Node &&
            event.currentTarget.parentElement?.contains(event.relatedTarget)
          ))
            searchBox.setState({ open: false });
        }}
      />
      <div id="canvas-matches" role="listbox" aria-label="Found">
        {matches.map((match, index) => (
          <button
            type="button"
            key={match.element}
            id={`canvas-match-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerDown={(event) => {
              event.preventDefault();
              go(match);
              close();
            }}
          >
            <Mono>{match.text}</Mono>
            <small>{match.about}</small>
          </button>
        ))}
      </div>
      {!matches.length && <p>No state or arrow matches “{query}”.</p>}
    </div>
  );
}

export const searchGesture: Gesture = {
  name: "search",
  Layer,
  commands: () => [
    {
      name: "search",
      title: "Search the canvas",
      group: "Go",
      keys: ["Ctrl+F", "/"],
      run: () => searchBox.setState({ open: true }),
    },
  ],
};
