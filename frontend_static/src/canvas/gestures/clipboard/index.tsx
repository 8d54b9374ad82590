/**
 * Commands: copy, cut, paste and duplicate. The clipboard holds marked text, so that states can be
 * pasted into other tabs and packs.
 */

import { useEffect } from "react";
import {
  commandEntry,
  fragmentStates,
  fragmentText,
  packs,
  readFragment,
  session,
  type Edit,
  type Json,
} from "../../../session";
import { writeClipboard } from "../../../ui/clipboard";
import { isInForm, isInPane } from "../../../ui/keys";
import { COLUMN_GAP, ROW_GAP } from "../../layout/layoutTask";
import { CARD } from "../../scene/cardSizes";
import { union, type Point, type Rect } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import { useStage } from "../../view/stageContext";
import type { Gesture } from "../gesture";
import { acceptDrops, newGroup, offerPasted, PastedMenu } from "./PastedMenu";

const DUPLICATE_LIMIT = 200;

function selectedStates(): string[] {
  const { selection, graph } = session.state;
  return [...selection].flatMap((element) =>
    element.startsWith("state:") && graph.states.has(element.slice(6)) ? element.slice(6) : [],
  );
}

/** The copy that is being made. A paste waits for it, however fast the keys are pressed. */
let copying: Promise<string | null> | null = null;

/** The text of the selected states, once it is in the clipboard; null if it is not. */
function copy(): Promise<string | null> {
  const mine = makeCopy().finally(() => {
    if (copying === mine) copying = null;
  });
  copying = mine;
  return mine;
}

async function makeCopy(): Promise<string | null> {
  const { pack, graph } = session.state;
  const states = selectedStates();
  if (!states.length || pack === null) return null;
  try {
    await session.whenSaved();
    const { fragment } = await packs.copy(pack, states);
    const text = fragmentText(graph.dialect, fragment);
    if (!(await writeClipboard(text))) {
      session.notify("Nothing was copied: the browser refused the clipboard.", "warning", REFUSED);
      return null;
    }
    const said = states.length === 1 ? "Copied one state." : `Copied ${states.length} states.`;
    session.notify(said, "ok");
    return text;
  } catch (error) {
    session.notifyError(error);
    return null;
  }
}

const REFUSED = "Allow the clipboard for this site, or duplicate the states (Ctrl+D).";

async function cut(): Promise<void> {
  const states = selectedStates();
  if ((await copy()) === null) return;
  session.select([]);
  void session.edit(states.map((id): Edit => ({ type: "remove_state", id })));
}

/**
 * Paste the text that the clipboard had when the keys were pressed, at a point of the scene or near
 * the originals.
 */
async function paste(stage: Stage, clipboard: string, at?: Point): Promise<void> {
  if (session.state.readOnly) return;
  const text = (copying && (await copying)) ?? clipboard;
  const copied = readFragment(text);
  if (!copied) return offerPasted(stage, text, at);
  const { dialect } = session.state.graph;
  if (copied.dialect && copied.dialect !== dialect) {
    const from = `That was copied from a ${copied.dialect} pack`;
    session.notify(`${from}, and this one is ${dialect}.`, "warning", "Convert it first.");
    return;
  }
  await addFragment(stage, copied.fragment, at);
}

/** Add the states of a fragment and keep their places, as one undo step. */
async function addFragment(stage: Stage, fragment: Json, at?: Point): Promise<void> {
  const before = new Set(session.state.graph.states.keys());
  const group = newGroup();
  stage.scene.wantNextPlaces(placesFor(stage, fragmentStates(fragment), at));
  const outcome = await session.edit([{ type: "paste", fragment: atThisLevel(fragment), group }]);
  stage.scene.wantNextPlaces([]);
  if (!outcome.ok) return;
  const ids = [...session.state.graph.states.keys()].filter((id) => !before.has(id));
  const cards = ids.flatMap((id) => stage.scene.cards.get(id) ?? []);
  const moves = stage.moveEdits(cards.map((card) => [card.id, card]));
  void session.edit(moves.map((edit) => ({ ...edit, group })));
  showNew(ids);
}

/**
 * Corners for copies of these states: together as the originals are, below them or at a point;
 * without originals in a row, in the middle of the view.
 */
function placesFor(stage: Stage, states: readonly string[], at?: Point): Point[] {
  const cards = states.map((id) => stage.scene.cards.get(id));
  const frame = cards.includes(undefined) ? null : union(cards as Rect[]);
  const from = at ?? (frame ? undefined : stage.center());
  if (!frame)
    return states.map((_, index) => ({
      x: from!.x - CARD.w / 2 + index * (CARD.w + COLUMN_GAP),
      y: from!.y - CARD.h / 2,
    }));
  const by = from
    ? { x: from.x - CARD.w / 2 - frame.x, y: from.y - CARD.h / 2 - frame.y }
    : { x: 0, y: frame.h + ROW_GAP };
  return (cards as Rect[]).map(({ x, y }) => ({ x: x + by.x, y: y + by.y }));
}

/** Paste at a point of the scene, if the browser lets the page read the clipboard. */
async function pasteClipboard(stage: Stage, at?: Point): Promise<void> {
  try {
    await paste(stage, await navigator.clipboard.readText(), at);
  } catch {
    const text = "The browser does not let the page read the clipboard.";
    session.notify(text, "warning", "Press Ctrl+V.");
  }
}

/** Select new states and bring them into view. */
function showNew(ids: readonly string[]): void {
  session.select(ids.map((id) => `state:${id}`));
  const [first] = ids;
  if (first !== undefined) session.bringIntoView(`state:${first}`);
}

/** Move a fragment to the shown level. */
function atThisLevel(fragment: Json): Json {
  const marked =
    typeof fragment === "object" &&
    fragment !== null &&
    !Array.isArray(fragment) &&
    "level" in fragment;
  return marked ? { ...fragment, level: session.state.level } : fragment;
}

/** Each copy is placed below its original, or at the nearest free place. */
function duplicate(stage: Stage): void {
  const { states } = session.state.graph;
  const usedIds = new Set(states.keys());
  const edits = selectedStates()
    .slice(0, DUPLICATE_LIMIT)
    .map((id): Edit & { type: "duplicate_state" } => {
      const new_id = freeCopyId(`${id}_copy`, usedIds);
      usedIds.add(new_id);
      return { type: "duplicate_state", id, new_id };
    });
  if (!edits.length) return;
  for (const { id, new_id } of edits) {
    const card = stage.scene.cards.get(id);
    if (card) stage.scene.wantPlace(new_id, { x: card.x, y: card.y + card.h + ROW_GAP });
  }
  void session.edit(edits);
  showNew(edits.map((edit) => edit.new_id));
  stage.element?.focus({ preventScroll: true });
}

function freeCopyId(wanted: string, usedIds: ReadonlySet<string>): string {
  if (!usedIds.has(wanted)) return wanted;
  for (let number = 2; ; number += 1)
    if (!usedIds.has(`${wanted}_${number}`)) return `${wanted}_${number}`;
}

/** Listen for paste events, which need no permission, unlike reading the clipboard. */
function Layer() {
  const stage = useStage();
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      // A button or list has the focus without being the target of this event.
      const { activeElement: place } = document;
      if (isInForm(place) || isInPane(place) || document.querySelector("dialog:modal")) return;
      event.preventDefault();
      const text = event.clipboardData?.getData("text/plain") ?? "";
      void session.awaitEdit(paste(stage, text));
    };
    window.addEventListener("paste", onPaste);
    return () => window.removeEventListener("paste", onPaste);
  }, [stage]);
  useEffect(() => acceptDrops(stage), [stage]);
  return <PastedMenu addFragment={addFragment} />;
}

const anySelected = () => selectedStates().length > 0;
const isEditable = () => !session.state.readOnly;
/** If text is selected in a pane, copy and cut apply to that text. */
const noTextSelected = () => (getSelection()?.toString() ?? "") === "";

export const clipboardGesture: Gesture = {
  name: "clipboard",
  Layer,
  menu: ({ kind, x, y }, stage) => {
    if (kind === "state")
      return ["copy", "cut", "duplicate"].flatMap((name) => commandEntry(name, "clipboard"));
    if (kind === "transition") return [];
    const paste = commandEntry("paste", "clipboard", { title: "Paste" });
    const run = () => void session.awaitEdit(pasteClipboard(stage, stage.toScene(x, y)));
    return paste.map((entry) => ({ ...entry, keys: "Ctrl+V", run }));
  },
  commands: (stage) => [
    {
      name: "copy",
      title: "Copy",
      group: "Edit",
      keys: ["Ctrl+C"],
      possible: () => anySelected() && noTextSelected(),
      run: () => void copy(),
    },
    {
      name: "cut",
      title: "Cut",
      group: "Edit",
      keys: ["Ctrl+X"],
      possible: () => isEditable() && anySelected() && noTextSelected(),
      run: () => void cut(),
    },
    {
      name: "paste",
      title: "Paste (Ctrl+V)",
      group: "Edit",
      keys: [],
      possible: isEditable,
      run: () => void session.awaitEdit(pasteClipboard(stage)),
    },
    {
      name: "duplicate",
      title: "Duplicate",
      group: "Edit",
      keys: ["Ctrl+D"],
      possible: () => isEditable() && anySelected(),
      run: () => duplicate(stage),
    },
  ],
};
