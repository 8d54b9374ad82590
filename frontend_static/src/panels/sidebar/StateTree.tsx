import { useMemo, useReducer, useRef, useState, type KeyboardEvent } from "react";
import {
  runCommand,
  session,
  shallow,
  useSession,
  type State,
  type Transition,
} from "../../session";
import { Disclosure } from "../../ui/Disclosure";
import { StateBranch, type TreeActions } from "./StateBranch";
import { SectionTitle } from "./rowParts";
import { keyOf } from "../../ui/keys";
import { Button } from "../../ui/Button";

const SHOWN_AT_FIRST = 300;

interface TreeState {
  open: ReadonlySet<string>;
  connecting: string | null;
  /** The row in the tab order. */
  currentRow: string | null;
}

type TreeAction =
  | { do: "open" | "close" | "toggle" | "connect"; state: string }
  | { do: "connected" }
  | { do: "at"; element: string };

function reduceTree(tree: TreeState, act: TreeAction): TreeState {
  switch (act.do) {
    case "at":
      return tree.currentRow === act.element ? tree : { ...tree, currentRow: act.element };
    case "connected":
      return { ...tree, connecting: null };
    default: {
      const open = new Set(tree.open);
      if (act.do === "close" || (act.do === "toggle" && open.has(act.state)))
        open.delete(act.state);
      else open.add(act.state);
      return { ...tree, open, connecting: act.do === "connect" ? act.state : tree.connecting };
    }
  }
}

/**
 * The graph as a tree of states and their transitions. Keys do what the pointer does on the canvas:
 * Enter selects, Delete removes, F2 renames, C connects, → expands.
 */
export function StateTree({ needle }: { needle: string }) {
  const { states, transitions, entries } = useSession(
    (state) => ({
      states: state.graph.states,
      transitions: state.graph.transitions,
      entries: state.graph.entries,
    }),
    shallow,
  );
  const [tree, act] = useReducer(reduceTree, {
    open: new Set<string>(),
    connecting: null,
    currentRow: null,
  });
  const [unfolded, setUnfolded] = useState(true);
  const [all, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const leaving = useMemo(() => bySource(transitions), [transitions]);
  const started = useMemo(() => new Set(entries.map((entry) => entry.state)), [entries]);
  const actions = useMemo(() => treeActions(act, box), []);
  const matching = [...states.values()].filter((state) => matches(state, needle));
  const visible = all ? matching : matching.slice(0, SHOWN_AT_FIRST);
  const reachable = tree.currentRow ?? (visible[0] ? `state:${visible[0].id}` : null);
  return (
    <Disclosure
      className="outline-section"
      title={<SectionTitle title="States and transitions" count={states.size} />}
      open={unfolded || needle !== ""}
      onToggle={setUnfolded}
    >
      {visible.length === 0 && (
        <p className="pane-note">
          {needle ? "No state matches." : "No states yet. Add one from the palette."}
        </p>
      )}
      <div role="tree" aria-label="States and transitions" ref={box} className="state-tree">
        {visible.map((state) => (
          <StateBranch
            key={state.id}
            state={state}
            arrows={leaving.get(state.id) ?? NO_TRANSITIONS}
            entry={started.has(state.id)}
            open={tree.open.has(state.id)}
            connecting={tree.connecting === state.id}
            reachable={reachable && belongsToState(reachable, state.id) ? reachable : null}
            actions={actions}
          />
        ))}
      </div>
      {matching.length > visible.length && (
        <Button kind="quiet small" onClick={() => setAll(true)}>
          Show the other {matching.length - visible.length}
        </Button>
      )}
    </Disclosure>
  );
}

const NO_TRANSITIONS: Transition[] = [];

function belongsToState(element: string, state: string): boolean {
  return element === `state:${state}` || element.startsWith(`transition:${state}|`);
}

function treeActions(
  act: (what: TreeAction) => void,
  box: { current: HTMLElement | null },
): TreeActions {
  return {
    toggle: (state) => act({ do: "toggle", state }),
    closeConnectRow: () => act({ do: "connected" }),
    setCurrentRow: (element) => act({ do: "at", element }),
    handleKey(event, element, state) {
      const handled =
        moveFocus(event, box.current) || handleRowKey(event, element, state, act, box.current);
      if (!handled) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

/** Move between rows with the arrow keys, Home and End. */
function moveFocus(event: KeyboardEvent, box: HTMLElement | null): boolean {
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(keyOf(event))) return false;
  const rows = [...(box?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
  const at = rows.indexOf(event.currentTarget as HTMLElement);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[
    keyOf(event)
  ];
  next?.focus();
  return true;
}

function handleRowKey(
  event: KeyboardEvent,
  element: string,
  state: string,
  act: (what: TreeAction) => void,
  box: HTMLElement | null,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (keyOf(event)) {
    case "ArrowRight":
      act({ do: "open", state });
      return true;
    case "ArrowLeft":
      act({ do: "close", state });
      box?.querySelector<HTMLElement>(`[data-row="${CSS.escape(`state:${state}`)}"]`)?.focus();
      return true;
    case "Enter":
    case " ":
      if (event.shiftKey && openedLevel(element)) {
        session.openLevel(openedLevel(element));
        return true;
      }
      session.focus(element);
      return true;
    case "Delete":
    case "Backspace":
      remove(element);
      return true;
    case "F2":
      session.select([element], element);
      return runCommand("rename");
    case "c":
      act({ do: "connect", state });
      return true;
    default:
      return false;
  }
}

/** The level that a row's state opens; "" if none. */
const openedLevel = (element: string): string =>
  element.startsWith("state:")
    ? (session.state.graph.states.get(element.slice(6))?.inside ?? "")
    : "";

function remove(element: string): void {
  const id = element.slice(element.indexOf(":") + 1);
  void session.edit([
    element.startsWith("state:")
      ? { type: "remove_state", id }
      : { type: "disconnect", transition: id },
  ]);
}

function bySource(transitions: ReadonlyMap<string, Transition>): Map<string, Transition[]> {
  const bySourceId = new Map<string, Transition[]>();
  for (const arrow of transitions.values()) {
    const list = bySourceId.get(arrow.source);
    if (list) list.push(arrow);
    else bySourceId.set(arrow.source, [arrow]);
  }
  return bySourceId;
}

function matches(state: State, needle: string): boolean {
  return `${state.id} ${state.name} ${state.role}`.toLowerCase().includes(needle);
}
