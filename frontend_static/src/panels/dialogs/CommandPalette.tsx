import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { session, useCommands, useSession } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { fuzzyMatch } from "../../ui/fuzzyMatch";
import { showElement } from "../showElement";
import { Keys } from "./Keys";
import { keyOf } from "../../ui/keys";

interface Entry {
  id: string;
  title: string;
  group: string;
  keys: string[];
  run: () => void;
}

const MAX_ENTRIES = 60;

/** The command palette: finds commands, states and other elements of the pack by name. */
export function CommandPalette({ close }: { close: () => void }) {
  const commands = useCommands();
  const states = useSession((state) => state.fullGraph.states);
  const outline = useSession((state) => state.outline);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const entries = useMemo<Entry[]>(() => {
    const possible = commands.filter(
      (one) => one.possible?.() !== false && one.name !== "commands",
    );
    const places = [...states.keys()].map((id) => elementEntry(`state:${id}`, id, "State"));
    const others = outline.flatMap((section) =>
      section.items.map((item) => elementEntry(item.element, item.label, section.title)),
    );
    return [
      ...possible.map((one) => ({
        id: one.name,
        title: one.title,
        group: one.group,
        keys: one.keys,
        run: one.run,
      })),
      ...places,
      ...others.filter((one) => !one.id.startsWith("state:")),
    ];
  }, [commands, states, outline]);
  const matches = fuzzyMatch(entries, query).slice(0, MAX_ENTRIES);
  const selected = Math.min(at, matches.length - 1);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    entry.run();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[keyOf(event)];
    if (step && matches.length > 0) setAt((selected + step + matches.length) % matches.length);
    else if (keyOf(event) === "Enter") run(matches[selected]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog bare title="Command palette" onClose={close}>
      <input
        className="input command-input"
        role="combobox"
        aria-label="Command"
        aria-expanded
        aria-controls="command-list"
        aria-activedescendant={matches[selected] ? `command-${selected}` : undefined}
        placeholder="What do you want to do, or where to go?"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <ul
        className="command-list"
        id="command-list"
        role="listbox"
        aria-label="Commands"
        ref={list}
      >
        {matches.map((entry, index) => (
          <li
            key={entry.id}
            id={`command-${index}`}
            role="option"
            aria-selected={index === selected}
            onPointerMove={() => setAt(index)}
            onClick={() => run(entry)}
          >
            <span>{entry.title}</span>
            <span className="muted small">{entry.group}</span>
            <span className="keys">
              <Keys keys={entry.keys.slice(0, 1)} />
            </span>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p className="muted">No command matches.</p>}
    </Dialog>
  );
}

function elementEntry(element: string, title: string, group: string): Entry {
  const run = () => (element.startsWith("state:") ? session.focus(element) : showElement(element));
  return { id: element, title, group, keys: [], run };
}
