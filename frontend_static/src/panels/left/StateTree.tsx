import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { perform, session, shallow, useSession, type State, type Transition } from "../../session";
import { Disclosure } from "../../theme/parts/Disclosure";
import { LevelDot, SectionTitle } from "./Outline";
import { ConnectRow } from "./ConnectRow";

/**
 * The graph as a tree: states, and under each its arrows. Everything the canvas does with a pointer
 * can be done here with keys: Enter selects, Delete removes, F2 renames, C connects, → opens.
 */
export function StateTree({ wanted }: { wanted: string }) {
  const { states, transitions, entries } = useSession(
    (state) => ({
      states: state.graph.states,
      transitions: state.graph.transitions,
      entries: state.graph.entries,
    }),
    shallow,
  );
  const selection = useSession((state) => state.selection);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [unfolded, setUnfolded] = useState(true);
  const [connecting, setConnecting] = useState<string | null>(null);
  const [at, setAt] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const leaving = useMemo(() => bySource(transitions), [transitions]);
  const shown = [...states.values()].filter((state) => matches(state, wanted));
  const started = new Set(entries.map((entry) => entry.state));
  const focused = at ?? (shown[0] ? `state:${shown[0].id}` : null);

  const setOpened = (id: string, yes: boolean) => {
    const next = new Set(open);
    if (yes) next.add(id);
    else next.delete(id);
    setOpen(next);
  };
  const keys = (event: KeyboardEvent, element: string, state: string) => {
    const handled = treeKey(event, box.current) || actKey(event, element, state);
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const actKey = (event: KeyboardEvent, element: string, state: string): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    switch (event.key) {
      case "ArrowRight":
        setOpened(state, true);
        return true;
      case "ArrowLeft":
        setOpened(state, false);
        box.current?.querySelector<HTMLElement>(`[data-row="state:${CSS.escape(state)}"]`)?.focus();
        return true;
      case "Enter":
      case " ":
        session.focus(element);
        return true;
      case "Delete":
      case "Backspace":
        remove(element);
        return true;
      case "F2":
        session.select([element], element);
        return perform("rename");
      case "c":
        setConnecting(state);
        setOpened(state, true);
        return true;
      default:
        return false;
    }
  };
  return (
    <Disclosure
      className="outline-section"
      title={<SectionTitle title="States and transitions" count={states.size} />}
      open={unfolded || wanted !== ""}
      onToggle={setUnfolded}
    >
      {shown.length === 0 && <p className="pane-note">{wanted ? "No state matches." : "No states yet. Add one from the palette."}</p>}
      <div role="tree" aria-label="States and transitions" ref={box} className="state-tree">
        {shown.map((state) => {
          const arrows = leaving.get(state.id) ?? [];
          const opened = open.has(state.id);
          const row = (element: string) => ({
            "data-row": element,
            tabIndex: element === focused ? 0 : -1,
            onFocus: () => setAt(element),
            onKeyDown: (event: KeyboardEvent) => keys(event, element, state.id),
          });
          return (
            <div key={state.id} role="none">
              <div
                role="treeitem"
                aria-level={1}
                aria-expanded={arrows.length > 0 || connecting === state.id ? opened : undefined}
                aria-selected={selection.has(`state:${state.id}`)}
                className="outline-row mono"
                {...row(`state:${state.id}`)}
                onClick={() => session.focus(`state:${state.id}`)}
                onDoubleClick={() => setOpened(state.id, !opened)}
              >
                <Twist shown={arrows.length > 0} open={opened} onClick={() => setOpened(state.id, !opened)} />
                <span className="truncate">{state.id}</span>
                {started.has(state.id) && <span className="mini">entry</span>}
                {state.terminal && <span className="mini">end</span>}
                <Dot element={`state:${state.id}`} />
              </div>
              {opened &&
                arrows.map((arrow) => (
                  <div
                    key={arrow.id}
                    role="treeitem"
                    aria-level={2}
                    aria-label={`${arrow.label || "unnamed"} to ${arrow.target}`}
                    aria-selected={selection.has(`transition:${arrow.id}`)}
                    className="outline-row mono arrow"
                    {...row(`transition:${arrow.id}`)}
                    onClick={() => session.focus(`transition:${arrow.id}`)}
                  >
                    <span className="truncate">
                      {arrow.label} <span className="muted">→ {arrow.target}</span>
                    </span>
                    <Dot element={`transition:${arrow.id}`} />
                  </div>
                ))}
              {connecting === state.id && <ConnectRow source={state.id} done={() => setConnecting(null)} />}
            </div>
          );
        })}
      </div>
    </Disclosure>
  );
}

function Twist(props: { shown: boolean; open: boolean; onClick: () => void }) {
  return (
    <span
      className={props.open ? "twist open" : "twist"}
      aria-hidden
      onClick={(event) => {
        event.stopPropagation();
        props.onClick();
      }}
    >
      {props.shown ? "▸" : ""}
    </span>
  );
}

function Dot({ element }: { element: string }) {
  return <LevelDot level={useSession((state) => state.findingsOf.get(element)?.[0]?.level)} />;
}

function bySource(transitions: ReadonlyMap<string, Transition>): Map<string, Transition[]> {
  const found = new Map<string, Transition[]>();
  for (const arrow of transitions.values()) {
    const list = found.get(arrow.source);
    if (list) list.push(arrow);
    else found.set(arrow.source, [arrow]);
  }
  return found;
}

function matches(state: State, wanted: string): boolean {
  return `${state.id} ${state.name} ${state.role}`.toLowerCase().includes(wanted);
}

function remove(element: string): void {
  const id = element.slice(element.indexOf(":") + 1);
  void session.edit([
    element.startsWith("state:") ? { type: "remove_state", id } : { type: "disconnect", transition: id },
  ]);
}

/** Up, down, first, last: the rows as they stand, whatever their level. */
function treeKey(event: KeyboardEvent, box: HTMLElement | null): boolean {
  const rows = [...(box?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
  const at = rows.indexOf(event.currentTarget as HTMLElement);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  next?.focus();
  return next !== undefined || event.key === "ArrowDown" || event.key === "ArrowUp";
}
