/**
 * The draft: a new state that is drawn at once and saved under the name that its author gives it,
 * as one edit. So no other page, no revision and no prompt ever has the suggested id.
 */

import type { Edit } from "../api";
import { publishGraph, setDraftEdits, store } from "./confirmedGraph";
import { session } from "./session";

let makeEdits: ((id: string) => Edit[]) | null = null;

/**
 * Draw a new state, select it and ask for its name. `placed` are the edits of its position. A draft
 * that is still open is kept first.
 */
export function draftState(id: string, kind: string, placed: (id: string) => Edit[]): void {
  if (store.getState().readOnly) return;
  keepDraft();
  makeEdits = (name) => [{ type: "add_state", id: name, kind }, ...placed(name)];
  setDraftEdits(makeEdits(id));
  publishGraph();
  session.select([`state:${id}`]);
  store.setState({ draft: { id, kind } });
}

/** Save the draft under this id, by default the suggested one. */
export function keepDraft(id?: string): void {
  const { draft } = store.getState();
  if (!draft || !makeEdits) return;
  const edits = makeEdits(id ?? draft.id);
  const element = `state:${id ?? draft.id}`;
  close();
  void session.edit(edits);
  session.select([element]);
  session.bringIntoView(element);
}

/** Remove the draft. Nothing was saved, so nothing is undone. */
export function dropDraft(): void {
  if (!store.getState().draft) return;
  close();
  publishGraph();
  session.select([]);
}

function close(): void {
  makeEdits = null;
  setDraftEdits([]);
  store.setState({ draft: null });
}

/** A page that is left keeps the draft like every other change. */
if (typeof addEventListener === "function") addEventListener("pagehide", () => keepDraft());
