/** Command: write the prompt of the selected state. */

import { commandEntry, session, type Command, type MenuEntry, type MenuPlace } from "../../session";
import { panels } from "../panelState";

/** The editor of the prompt, or the button that adds one. A pane that still loads is inert. */
const PLACE =
  "[aria-label=Inspector] .pane-body:not([inert]) .prompt-section :is(.cm-content, .add)";
const PATIENCE_MS = 3_000;

/** The only selected state, if its form has a prompt. */
function stateWithPrompt(): string | null {
  const [only, ...more] = session.state.selection;
  if (!only?.startsWith("state:") || more.length) return null;
  const state = session.state.graph.states.get(only.slice(6));
  return state && (state.prompt || state.prompt_line || state.role) ? only : null;
}

/** Focus the editor when the form of the state is loaded. */
function editPrompt(): void {
  const { element } = session.state;
  panels.set({ inspector: true });
  const until = performance.now() + PATIENCE_MS;
  const focus = () => {
    if (session.state.element !== element || performance.now() > until) return;
    const place = document.querySelector<HTMLElement>(PLACE);
    if (place) place.focus();
    else requestAnimationFrame(focus);
  };
  requestAnimationFrame(focus);
}

export const EDIT_PROMPT: Command = {
  name: "prompt.edit",
  title: "Edit the prompt of the selected state",
  group: "Edit",
  keys: ["E"],
  canvas: true,
  possible: () => !session.state.readOnly && stateWithPrompt() !== null,
  run: editPrompt,
};

export const promptEntries = ({ kind }: MenuPlace): MenuEntry[] =>
  kind === "state" ? commandEntry(EDIT_PROMPT.name, "open", { title: "Edit prompt" }) : [];
