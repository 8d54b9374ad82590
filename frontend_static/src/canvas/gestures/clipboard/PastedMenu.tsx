/**
 * The choices for a text from elsewhere that is pasted or dropped: add its states, import it, or
 * write a prompt.
 */

import { createStore, useStore } from "zustand";
import {
  newStateId,
  packs,
  paletteOf,
  readPasted,
  session,
  type Edit,
  type Json,
  type PastedText,
} from "../../../session";
import type { Point } from "../../scene/geometry";
import { freePlace } from "../../view/addState";
import { Popup } from "../../view/Popup";
import type { Stage } from "../../view/stage";
import { useStage } from "../../view/stageContext";
import { siteUrl } from "../../../ui/siteUrl";

interface Offer extends PastedText {
  text: string;
  at: Point;
}

const offer = createStore<{ open: Offer | null }>(() => ({ open: null }));
const close = () => offer.setState({ open: null });

/** Edits of one group are one undo step. */
export const newGroup = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** Open the choices for a text, or a notice if there are none. */
export function offerPasted(stage: Stage, text: string, at: Point = stage.center()): void {
  const pasted = readPasted(session.state.graph.dialect, text);
  if (pasted.fragment !== null || pasted.isPack || pasted.isProse)
    return offer.setState({ open: { ...pasted, text, at } });
  const reason = text.trim() ? "has no states of this format" : "has no text";
  session.notify(`Nothing was pasted: the clipboard ${reason}.`, "warning");
}

interface Props {
  addFragment: (stage: Stage, fragment: Json, at: Point) => Promise<void>;
}

export function PastedMenu({ addFragment }: Props) {
  const stage = useStage();
  const { open } = useStore(offer);
  if (!open) return null;
  const { fragment, states, isPack, isProse, text, at } = open;
  const choose = (work: () => Promise<void>) => () => {
    close();
    stage.element?.focus({ preventScroll: true });
    void session.awaitEdit(work());
  };
  return (
    <Popup at={at} label="Pasted text" onClose={close}>
      <h3>{summaryOf(open)}</h3>
      {fragment !== null && (
        <button type="button" onClick={choose(() => addFragment(stage, fragment, at))}>
          {states.length === 1 ? "Add the state" : `Add the ${states.length} states`}
        </button>
      )}
      {isProse && (
        <button type="button" onClick={choose(() => addPrompt(stage, text, at))}>
          Add a state with this prompt
        </button>
      )}
      {(isPack || isProse) && (
        <button type="button" onClick={choose(() => importPack(text))}>
          Import as a pack
        </button>
      )}
    </Popup>
  );
}

const MOST_NAMES = 3;

function summaryOf({ states, text }: Offer): string {
  if (!states.length) return `${text.trim().length.toLocaleString("en")} characters of text`;
  const more = states.length > MOST_NAMES ? ` and ${states.length - MOST_NAMES} more` : "";
  return `States ${states.slice(0, MOST_NAMES).join(", ")}${more}`;
}

async function importPack(text: string): Promise<void> {
  try {
    const { packs: made } = await packs.importText(text);
    const [first] = made;
    if (first) location.assign(siteUrl(`/packs/${first.id}/`));
  } catch (error) {
    session.notifyError(error);
  }
}

/** A new state of the first kind of the palette, with a prompt of this text, as one undo step. */
async function addPrompt(stage: Stage, text: string, at: Point): Promise<void> {
  const item = paletteOf(session.state)[0];
  if (!item) return;
  const group = newGroup();
  const id = newStateId(item.suggested_id, session.state);
  const added: Edit[] = [
    { type: "add_state", id, kind: item.kind },
    ...stage.moveEdits([[id, freePlace(stage, at)]]),
  ];
  const outcome = await session.edit(added.map((edit) => ({ ...edit, group })));
  const { pack, graph } = session.state;
  if (!outcome.ok || pack === null) return;
  const element = `state:${id}`;
  const { prompt } = await packs.fields(pack, graph.states.get(id)?.prompt || element);
  if (prompt) {
    const { element: owner, field } = prompt;
    await session.edit([{ type: "set_field", element: owner, field, value: text, group }]);
  }
  session.select([element]);
  session.bringIntoView(element);
}

/** Accept texts and single files that are dropped on the canvas. Returns a function that stops it. */
export function acceptDrops(stage: Stage): () => void {
  const root = stage.element;
  const listening = new AbortController();
  const hasText = ({ dataTransfer }: DragEvent): boolean =>
    !session.state.readOnly &&
    dataTransfer !== null &&
    (dataTransfer.types.includes("Files") ||
      (dataTransfer.types.includes("text/plain") && !isOwn(dataTransfer)));
  const over = (event: DragEvent) => {
    if (!hasText(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drop = (event: DragEvent) => {
    if (!hasText(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.stopPropagation();
    const at = stage.toScene(event.clientX, event.clientY);
    const { files } = event.dataTransfer;
    if (files.length > 1) {
      const text = "Several files are imported on the start page.";
      return session.notify(text, "warning", "Drop one file here.");
    }
    const text = files[0]?.text() ?? Promise.resolve(event.dataTransfer.getData("text/plain"));
    void text.then((dropped) => offerPasted(stage, dropped, at));
  };
  root?.addEventListener("dragover", over, { signal: listening.signal });
  root?.addEventListener("drop", drop, { signal: listening.signal });
  return () => listening.abort();
}

/** Items of the palette, and links of the page. */
const isOwn = ({ types }: DataTransfer): boolean =>
  types.some((type) => type.startsWith("application/") || type === "text/uri-list");
