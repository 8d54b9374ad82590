/** The field over a card or an arrow in which its name is typed. */

import { useLayoutEffect, useRef, useState } from "react";
import { NameHint, type NameProblem } from "../../view/NameHint";
import { keyOf } from "../../../ui/keys";
import { useAsked } from "../../../ui/useAsked";

interface Props {
  label: string;
  text: string;
  problemOf: (name: string) => NameProblem | null;
  /** `null`: Escape, or a name that cannot be used. `byKey`: with Enter or Escape. */
  onDone: (name: string | null, byKey: boolean) => void;
}

export function NameField({ label, text, problemOf, onDone }: Props) {
  const [name, setName] = useState(text);
  useAsked(label, name !== text);
  const place = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => place.current?.select(), []);
  const problem = name.trim() === text ? null : problemOf(name);
  const finish = (result: string | null, byKey: boolean) => {
    if (done.current) return;
    done.current = true;
    onDone(result, byKey);
  };
  const usable = problem ? problem.nearest : name.trim();
  const keep = (byKey: boolean) => {
    if (usable || !byKey) finish(usable || null, byKey);
  };
  return (
    <div
      className="name-field"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) keep(false);
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (keyOf(event) === "Escape") finish(null, true);
        if (keyOf(event) === "Enter" && event.target === place.current) {
          // The key must not act on what gets the focus next.
          event.preventDefault();
          keep(true);
        }
      }}
    >
      <input
        ref={place}
        autoFocus
        aria-label={label}
        aria-invalid={problem !== null || undefined}
        value={name}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      {problem && (
        <div className="name-hint popup">
          <NameHint {...problem} onTake={(nearest) => finish(nearest, true)} />
        </div>
      )}
    </div>
  );
}
