import { memo, type KeyboardEvent } from "react";
import { session, shortId, useSession, type State, type Transition } from "../../session";
import { ConnectRow } from "./ConnectRow";
import { DiffBadge, FindingDot, useDiffText } from "./rowParts";

/** Actions of a row. One stable object, so that rows do not render again. */
export interface TreeActions {
  toggle(state: string): void;
  closeConnectRow(): void;
  setCurrentRow(element: string): void;
  handleKey(event: KeyboardEvent, element: string, state: string): void;
}

interface BranchProps {
  state: State;
  arrows: Transition[];
  entry: boolean;
  open: boolean;
  connecting: boolean;
  /** The row in the tab order, if it is in this branch. */
  reachable: string | null;
  actions: TreeActions;
}

/** A state and, when expanded, its outgoing transitions. */
export const StateBranch = memo(function StateBranch(props: BranchProps) {
  const { state, arrows, entry, open, connecting, reachable, actions } = props;
  const row = (element: string) => ({
    "data-row": element,
    tabIndex: element === reachable ? 0 : -1,
    onFocus: () => actions.setCurrentRow(element),
    onKeyDown: (event: KeyboardEvent) => actions.handleKey(event, element, state.id),
    onClick: () => session.focus(element),
  });
  const element = `state:${state.id}`;
  const selected = useSession((now) => now.selection.has(element));
  return (
    <div role="none">
      <div
        role="treeitem"
        aria-level={1}
        aria-expanded={arrows.length > 0 || connecting ? open : undefined}
        aria-selected={selected}
        className="outline-row mono"
        title={state.name && state.name !== state.id ? `${state.id} · ${state.name}` : state.id}
        {...row(element)}
        onDoubleClick={() =>
          state.inside ? session.openLevel(state.inside) : actions.toggle(state.id)
        }
      >
        <ExpandMark
          shown={arrows.length > 0}
          open={open}
          onClick={() => actions.toggle(state.id)}
        />
        <span className="truncate" translate="no">
          {shortId(state.id, state.level)}
        </span>
        {entry && <span className="mini">entry</span>}
        {state.terminal && <span className="mini">end</span>}
        <DiffBadge element={element} />
        <ElementDot element={element} />
      </div>
      {open &&
        arrows.map((arrow) => (
          <ArrowRow key={arrow.id} arrow={arrow} row={row(`transition:${arrow.id}`)} />
        ))}
      {connecting && <ConnectRow source={state.id} done={actions.closeConnectRow} />}
    </div>
  );
});

function ArrowRow({ arrow, row }: { arrow: Transition; row: object }) {
  const element = `transition:${arrow.id}`;
  const selected = useSession((now) => now.selection.has(element));
  const target = useSession((now) => shortId(arrow.target, now.level)) || "end";
  const diff = useDiffText(element);
  return (
    <div
      role="treeitem"
      aria-level={2}
      aria-label={[`${arrow.label || "unnamed"} to ${target}`, diff].filter(Boolean).join(", ")}
      aria-selected={selected}
      className="outline-row mono arrow"
      translate="no"
      {...row}
    >
      <span className="truncate" translate="no">
        {arrow.label} <span className="muted">→ {target}</span>
      </span>
      <DiffBadge element={element} />
      <ElementDot element={element} />
    </div>
  );
}

function ExpandMark(props: { shown: boolean; open: boolean; onClick: () => void }) {
  return (
    <span
      className={props.open ? "expand-mark open" : "expand-mark"}
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

function ElementDot({ element }: { element: string }) {
  return <FindingDot level={useSession((state) => state.findingsOf.get(element)?.[0]?.level)} />;
}
