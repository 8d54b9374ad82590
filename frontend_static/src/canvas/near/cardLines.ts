/** The lines of a card between its id and its foot. */

import type { State } from "../../session";

export const hasName = (state: State): boolean => state.name !== "" && state.name !== state.id;

/** The first line of the prompt. A section has room for its name only, or for the line. */
export const hasPromptLine = (state: State): boolean =>
  state.prompt_line !== "" &&
  state.prompt_line !== state.name &&
  !(state.stateless && hasName(state));

/** A section has no foot: it would cover its name. */
export const hasFoot = (state: State): boolean =>
  !state.stateless || !(hasName(state) || hasPromptLine(state));
