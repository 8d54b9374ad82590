/** The field for the target of an arrow that is drawn with keys: an existing state, or a new one. */

import { useState } from "react";
import { idPrefix, shortId, useSession } from "../../session";
import { keyOf } from "../../ui/keys";
import { useAsked } from "../../ui/useAsked";

const MOST_SHOWN = 6;

interface Props {
  source: string;
  /** The state, or an id that no state has yet. */
  onTarget: (target: string) => void;
}

export function TargetField({ source, onTarget }: Props) {
  const level = useSession((state) => state.level);
  const states = useSession((state) => state.graph.states);
  const [typed, setTyped] = useState("");
  useAsked("Target state", typed !== "");
  const text = typed.trim().toLowerCase();
  const all = [...states.values()].filter((state) => !state.stateless);
  const names = all.map((state) => shortId(state.id, level));
  const matching = names
    .filter((name) => name.toLowerCase().includes(text))
    .sort((a, b) => Number(b.startsWith(text)) - Number(a.startsWith(text)));
  const exact = names.find((name) => name === typed.trim());
  const take = (name: string) => onTarget(`${idPrefix(level)}${name}`);
  return (
    <>
      <h3>{shortId(source, level)} → …</h3>
      <input
        data-first
        aria-label="Target state"
        placeholder="Name of a state, or of a new one"
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (keyOf(event) !== "Enter") return;
          event.preventDefault();
          if (typed.trim() && !event.repeat) take(exact ?? typed.trim());
        }}
      />
      {text && exact === undefined && (
        <button type="button" className="mono" translate="no" onClick={() => take(typed.trim())}>
          {typed.trim()}
          <small>new state · Enter</small>
        </button>
      )}
      {matching.slice(0, MOST_SHOWN).map((name) => (
        <button type="button" key={name} className="mono" translate="no" onClick={() => take(name)}>
          {name}
          {name === exact && <small>Enter</small>}
        </button>
      ))}
    </>
  );
}
