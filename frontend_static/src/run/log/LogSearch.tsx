import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { registerCommands } from "../../session";
import {
  typesAndStates,
  nextMatch,
  useEventFilter,
  eventFilter,
  type SearchResult,
} from "./searchEvents";
import { LoadingNote } from "./LoadingNote";
import { runStore, useRunLog } from "../model/runStore";
import { keyOf } from "../../ui/keys";
import { Check } from "../../ui/Check";
import { Button } from "../../ui/Button";

/** The search bar of the log: a query with next and previous match, and filters. */
export function LogSearch({ result, selected }: { result: SearchResult; selected: number }) {
  const log = useRunLog();
  const { query, type, state, brief, only } = useEventFilter();
  const kinds = useMemo(() => typesAndStates(log), [log]);
  const box = useRef<HTMLInputElement>(null);
  const go = (back: boolean) => {
    const next = nextMatch(result, selected, back);
    if (next) runStore.seek(next.n);
  };
  const latest = useRef(go);
  latest.current = go;
  useEffect(
    () =>
      registerCommands(
        commands(
          () => box.current?.select(),
          (back) => latest.current(back),
        ),
      ),
    [],
  );
  const keys = (event: KeyboardEvent) => {
    if (keyOf(event) !== "Enter" && keyOf(event) !== "F3") return;
    event.preventDefault();
    go(event.shiftKey);
  };
  const { matches } = result;
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
        onChange={(event) => eventFilter.setState({ query: event.target.value })}
        onKeyDown={keys}
      />
      <MatchButton
        label="Previous match (Shift+F3)"
        disabled={matches.length === 0}
        run={() => go(true)}
        up
      />
      <MatchButton label="Next match (F3)" disabled={matches.length === 0} run={() => go(false)} />
      <span
        className="small count-of"
        role="status"
        data-matches={query.trim() ? matches.length : undefined}
      >
        {query.trim() && matchPosition(result, selected)}
      </span>
      <FilterSelect
        label="Type"
        any="Any type"
        value={type}
        values={kinds.types}
        choose={(one) => eventFilter.setState({ type: one })}
      />
      <FilterSelect
        label="State"
        any="Any state"
        value={state}
        values={kinds.states}
        choose={(one) => eventFilter.setState({ state: one })}
      />
      <Check on={only} set={(on) => eventFilter.setState({ only: on })}>
        Only matches
      </Check>
      <Check on={brief} set={(on) => eventFilter.setState({ brief: on })}>
        No bookkeeping
      </Check>
      <span className="help small">
        {result.events.length < log.length
          ? `${result.events.length} of ${log.length} events`
          : `${log.length} events`}
      </span>
      <LoadingNote />
    </div>
  );
}

function commands(
  focus: () => void,
  go: (back: boolean) => void,
): Parameters<typeof registerCommands>[0] {
  const looking = () => eventFilter.getState().query.trim() !== "";
  return [
    {
      name: "run.search",
      title: "Search the run log",
      group: "Run",
      keys: ["Ctrl+Shift+F"],
      run: focus,
    },
    {
      name: "run.search.next",
      title: "Next match in the run log",
      group: "Run",
      keys: ["F3"],
      run: () => go(false),
      possible: looking,
    },
    {
      name: "run.search.previous",
      title: "Previous match in the run log",
      group: "Run",
      keys: ["Shift+F3"],
      run: () => go(true),
      possible: looking,
    },
  ];
}

/** For example "3 of 17" if the shown event is a match. */
function matchPosition({ matches }: SearchResult, selected: number): string {
  const index = matches.findIndex((event) => event.n === selected);
  if (index >= 0) return `${index + 1} of ${matches.length}`;
  return matches.length === 0 ? "none" : `${matches.length} found`;
}

function MatchButton({
  label,
  disabled,
  run,
  up,
}: {
  label: string;
  disabled: boolean;
  run: () => void;
  up?: boolean;
}) {
  const Icon = up ? ChevronUp : ChevronDown;
  return (
    <Button
      kind="quiet small icon-only"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={run}
    >
      <Icon className="icon" aria-hidden />
    </Button>
  );
}

interface FilterSelectProps {
  label: string;
  any: string;
  value: string;
  values: readonly string[];
  choose: (value: string) => void;
}

function FilterSelect({ label, any, value, values, choose }: FilterSelectProps) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{any}</option>
      {value && !values.includes(value) && <option>{value}</option>}
      {values.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}
