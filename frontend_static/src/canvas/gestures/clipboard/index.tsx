/**
 * Commands: copy, cut, paste and duplicate. The clipboard holds marked text, so that states can be
 * pasted into other tabs and packs.
 */

import { useEffect } from "react";
import {
  commandEntry,
  fragmentText,
  packs,
  readFragment,
  session,
  type Edit,
  type Json,
} from "../../../session";
import { ROW_GAP } from "../../layout/layoutTask";
import type { Point } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import { isInForm, isInPane } from "../../../ui/keys";
import type { Gesture } from "../gesture";

const DUPLICATE_LIMIT = 200;

function selectedStates(): string[] {
  const { selection, graph } = session.state;
  return [...selection].flatMap((element) =>
    element.startsWith("state:") && graph.states.has(element.slice(6)) ? element.slice(6) : [],
  );
}

/** A copy of the system clipboard, which the browser may not let us read. */
let lastCopied = "";
/** The copy that is being made. A paste waits for it, however fast the keys are pressed. */
let copying: Promise<boolean> | null = null;

function copy(): Promise<boolean> {
  const mine = makeCopy().finally(() => {
    if (copying === mine) copying = null;
  });
  copying = mine;
  return mine;
}

async function makeCopy(): Promise<boolean> {
  const { pack, graph } = session.state;
  const states = selectedStates();
  if (!states.length || pack === null) return false;
  try {
    await session.whenSaved();
    const { fragment } = await packs.copy(pack, states);
    lastCopied = fragmentText(graph.dialect, fragment);
  } catch (error) {
    session.notifyError(error);
    return false;
  }
  await navigator.clipboard?.writeText(lastCopied).catch(() => undefined);
  session.notify(
    states.length === 1 ? "Copied one state." : `Copied ${states.length} states.`,
    "ok",
  );
  return true;
}

async function cut(): Promise<void> {
  const states = selectedStates();
  if (!(await copy())) return;
  session.select([]);
  void session.edit(states.map((id): Edit => ({ type: "remove_state", id })));
}

/** `text` is the content of the clipboard when the keys were pressed. */
async function paste(text: string): Promise<void> {
  const isNewer = copying !== null && (await copying);
  const copied = (isNewer ? null : readFragment(text)) ?? readFragment(lastCopied);
  if (!copied) return;
  const { graph, readOnly } = session.state;
  if (readOnly) return;
  if (copied.dialect && copied.dialect !== graph.dialect) {
    const from = `That was copied from a ${copied.dialect} pack`;
    session.notify(`${from}, and this one is ${graph.dialect}.`, "warning", "Convert it first.");
    return;
  }
  const before = new Set(graph.states.keys());
  const outcome = await session.edit([{ type: "paste", fragment: atThisLevel(copied.fragment) }]);
  if (!outcome.ok) return;
  const pastedIds = [...session.state.graph.states.keys()].filter((id) => !before.has(id));
  showNew(pastedIds);
}

/** Paste what the browser lets us read, else the last copy of this page. */
async function pasteClipboard(): Promise<void> {
  const read = navigator.clipboard?.readText().catch(() => lastCopied);
  await paste((await read) ?? lastCopied);
}

/** Paste with the first of the new states at this point of the scene. */
async function pasteAt(stage: Stage, point: Point): Promise<void> {
  stage.scene.wantNextPlace(point);
  await pasteClipboard();
  stage.scene.wantNextPlace(null);
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
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event;
      if (isInForm(target) || isInPane(target) || document.querySelector("dialog:modal")) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!readFragment(text) && !lastCopied && !copying) return;
      event.preventDefault();
      void session.awaitEdit(paste(text));
    };
    window.addEventListener("paste", onPaste);
    return () => window.removeEventListener("paste", onPaste);
  }, []);
  return null;
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
    const run = () => void session.awaitEdit(pasteAt(stage, stage.toScene(x, y)));
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
      run: () => void session.awaitEdit(pasteClipboard()),
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
