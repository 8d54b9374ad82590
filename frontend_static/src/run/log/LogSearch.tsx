import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { register } from "../../session";
import { kindsIn, nextMatch, useWanted, wanted, type Found } from "./searchEvents";
import { shownRun, useShownRun } from "../model/runStore";

/** The box over the log: text to go through with Enter or F3, and what to leave out. */
export function LogSearch({ found, chosen }: { found: Found; chosen: number }) {
  const last = useShownRun((shown) => shown.last);
  const { query, type, state, brief, only } = useWanted();
  const kinds = useMemo(() => kindsIn(shownRun.log), [last]);
  const box = useRef<HTMLInputElement>(null);
  const go = (back: boolean) => {
    const next = nextMatch(found, chosen, back);
    if (next) shownRun.seek(next.n);
  };
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => register(commands(() => box.current?.select(), (back) => latest.current(back))), []);
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "F3") return;
    event.preventDefault();
    go(event.shiftKey);
  };
  const { matches } = found;
  return (
    <div className="toolbar tight log-search" role="search" aria-label="Run log">
      <input
        ref={box}
        className="input"
        type="search"
        aria-label="Search the log"
        aria-keyshortcuts="Control+Shift+F"
        placeholder="Search the log"
        value={query}
        onChange={(event) => wanted.set({ query: event.target.value })}
        onKeyDown={keys}
      />
      <Step label="Previous match (Shift+F3)" disabled={matches.length === 0} run={() => go(true)} up />
      <Step label="Next match (F3)" disabled={matches.length === 0} run={() => go(false)} />
      <span className="small count-of" role="status" data-matches={query.trim() ? matches.length : undefined}>
        {query.trim() && placeOf(found, chosen)}
      </span>
      <Choice label="Type" any="Any type" value={type} values={kinds.types} choose={(one) => wanted.set({ type: one })} />
      <Choice label="State" any="Any state" value={state} values={kinds.states} choose={(one) => wanted.set({ state: one })} />
      <label className="check">
        <input type="checkbox" checked={only} onChange={(event) => wanted.set({ only: event.target.checked })} />
        Only matches
      </label>
      <label className="check">
        <input type="checkbox" checked={brief} onChange={(event) => wanted.set({ brief: event.target.checked })} />
        No bookkeeping
      </label>
      <span className="help small">{found.rows.length < last ? `${found.rows.length} of ${last} events` : `${last} events`}</span>
    </div>
  );
}

function commands(focus: () => void, go: (back: boolean) => void): Parameters<typeof register>[0] {
  const looking = () => wanted.get().query.trim() !== "";
  return [
    { name: "run.search", title: "Search the run log", group: "Run", keys: ["Ctrl+Shift+F"], run: focus },
    { name: "run.search.next", title: "Next match in the run log", group: "Run", keys: ["F3"], run: () => go(false), possible: looking },
    { name: "run.search.previous", title: "Previous match in the run log", group: "Run", keys: ["Shift+F3"], run: () => go(true), possible: looking },
  ];
}

/** "3 of 17" where the shown event is a match. */
function placeOf({ matches }: Found, chosen: number): string {
  const index = matches.findIndex((event) => event.n === chosen);
  if (index >= 0) return `${index + 1} of ${matches.length}`;
  return matches.length === 0 ? "none" : `${matches.length} found`;
}

function Step({ label, disabled, run, up }: { label: string; disabled: boolean; run: () => void; up?: boolean }) {
  const Icon = up ? ChevronUp : ChevronDown;
  return (
    <button type="button" className="button quiet small icon-only" aria-label={label} title={label} disabled={disabled} onClick={run}>
      <Icon className="icon" aria-hidden />
    </button>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string;
  values: readonly string[];
  choose: (value: string) => void;
}

function Choice({ label, any, value, values, choose }: ChoiceProps) {
  return (
    <select className="input" aria-label={label} value={value} onChange={(event) => choose(event.target.value)}>
      <option value="">{any}</option>
      {value && !values.includes(value) && <option>{value}</option>}
      {values.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
