/**
 * Gesture: a card that is dropped on an arrow is inserted between its source and target. Dragging
 * is part of the gestures that move and add cards; this one highlights the arrow and asks for the
 * event of the new arrow.
 */

import { useStore } from "zustand";
import { commandEntry, newStateId, paletteOf, session, type Transition } from "../../../session";
import { CARD } from "../../scene/cardSizes";
import { middle, right, type Point, type Rect } from "../../scene/geometry";
import { freePlace } from "../../view/addState";
import type { Insertion, Stage } from "../../view/stage";
import { useStage } from "../../view/stageContext";
import type { Gesture } from "../gesture";
import { insertEdits } from "./insert";
import { InsertMenu } from "./InsertMenu";
import { placeBetween } from "./placeBetween";

/** The insertion as one revision. If the server refuses it, an existing card goes back. */
async function save(
  stage: Stage,
  insertion: Insertion,
  target: string,
  id: string,
  event: string,
): Promise<void> {
  stage.insertion.setState({ dropped: null });
  const others = new Map([...stage.scene.cards].filter(([other]) => other !== id));
  const source = session.state.graph.transitions.get(insertion.arrow)?.source ?? "";
  const place = placeBetween(others, source, target, CARD);
  const pushed = [...(place?.pushed ?? [])].filter(([other]) => others.get(other)?.state);
  const moves = stage.moveEdits([[id, place?.at ?? insertion.at], ...pushed]);
  session.select([`state:${id}`]);
  const outcome = await session.edit(insertEdits(insertion, id, target, event, moves));
  if (!outcome.ok) return takeBack(stage, insertion);
  session.bringIntoView(`state:${id}`);
}

function takeBack(stage: Stage, { card }: Insertion): void {
  stage.insertion.setState({ dropped: null });
  if (!("id" in card)) return;
  stage.scene.movePreview([[card.id, card.from]]);
  stage.scene.reroute([]);
}

function Layer() {
  const stage = useStage();
  const { over, dropped } = useStore(stage.insertion, (state) => state);
  useStore(stage.view, (view) => view);
  if (over !== null) return <Highlight stage={stage} arrow={over} />;
  const arrow = dropped && stage.scene.arrows.get(dropped.arrow);
  if (!arrow) return null;
  return (
    <>
      <Preview stage={stage} insertion={dropped} source={arrow.source} target={arrow.target} />
      <InsertMenu
        key={`${dropped.arrow}|${dropped.at.x}|${dropped.at.y}`}
        insertion={dropped}
        arrow={arrow}
        onSave={(id, event) => void save(stage, dropped, arrow.target, id, event)}
        onClose={() => takeBack(stage, dropped)}
      />
    </>
  );
}

const transformOf = (stage: Stage): string => {
  const { x, y, zoom } = stage.view.getState();
  return `translate(${x} ${y}) scale(${zoom})`;
};

function Highlight({ stage, arrow }: { stage: Stage; arrow: string }) {
  const route = stage.scene.route(arrow);
  return (
    route && (
      <svg className="draw-line insertion" data-inserts={arrow}>
        <g transform={transformOf(stage)}>
          <path d={route.d} />
        </g>
      </svg>
    )
  );
}

interface PreviewProps {
  stage: Stage;
  insertion: Insertion;
  source: string;
  target: string;
}

/** The outline of the card with both arrows, until the event is known. */
function Preview({ stage, insertion, source, target }: PreviewProps) {
  const rect: Rect = { ...insertion.at, ...CARD };
  const [from, to] = [stage.scene.cards.get(source), stage.scene.cards.get(target)];
  return (
    <svg className="draw-line waiting" data-insertion={insertion.arrow}>
      <g transform={transformOf(stage)}>
        {from && <path d={lineBetween(from, rect)} />}
        {to && <path className="next" d={lineBetween(rect, to)} />}
        <rect x={rect.x} y={rect.y} width={rect.w} height={rect.h} rx={8} />
      </g>
    </svg>
  );
}

/** From the bottom to the top of a card below, else from the right to the left side. */
function lineBetween(from: Rect, to: Rect): string {
  const below = to.y >= from.y + from.h;
  const start: Point = below
    ? { x: middle(from).x, y: from.y + from.h }
    : { x: right(from), y: middle(from).y };
  const end: Point = below ? { x: middle(to).x, y: to.y } : { x: to.x, y: middle(to).y };
  return `M${start.x} ${start.y}L${end.x} ${end.y}`;
}

/**
 * The arrow into which the selection inserts a state: the selected one, or the only one that leaves
 * the selected state.
 */
function selectedArrow(stage: Stage): Transition | null {
  const [only, ...more] = session.state.selection;
  if (!only || more.length) return null;
  const { graph } = session.state;
  const id = only.slice(only.indexOf(":") + 1);
  const leaving = only.startsWith("state:")
    ? [...stage.scene.arrowsOf(id)].filter((one) => graph.transitions.get(one)?.source === id)
    : [id];
  const arrow = leaving.length === 1 ? graph.transitions.get(leaving[0] as string) : undefined;
  return arrow && isInsertable(arrow) ? arrow : null;
}

/** An arrow with an event of its own, to a state. */
const isInsertable = ({ label, target }: Transition): boolean =>
  label !== "" && session.state.graph.states.has(target);

/** Ask for the id of a new state in the middle of an arrow. */
function insertNew(stage: Stage, { id, source }: Transition): void {
  const route = stage.scene.route(id);
  const card = stage.scene.cards.get(source);
  const kind = paletteOf(session.state)[0];
  if (!route || !card || !kind) return;
  const suggestedId = newStateId(kind.suggested_id, session.state);
  const at = freePlace(stage, route.label);
  stage.insertion.setState({ dropped: { arrow: id, at, card: { kind: kind.kind, suggestedId } } });
}

const canInsert = (stage: Stage): boolean => !session.state.readOnly && !!selectedArrow(stage);

export const insertGesture: Gesture = {
  name: "insert",
  Layer,
  menu({ kind }, stage) {
    if (kind === "ground") return [];
    if (kind === "transition") return commandEntry("insert", "change", { title: "Insert a state" });
    // A state without an arrow, or with several, gets one more.
    const name = canInsert(stage) ? "insert" : "connect.new";
    return commandEntry(name, "change", { title: "Insert after" });
  },
  commands: (stage) => [
    {
      name: "insert",
      title: "Insert a state into the selected arrow, or after the selected state",
      group: "Edit",
      keys: ["N"],
      // A ghost of a comparison is not in the pack.
      possible: () => !session.state.comparison && canInsert(stage),
      run: () => {
        const arrow = selectedArrow(stage);
        if (arrow) insertNew(stage, arrow);
      },
    },
  ],
};
