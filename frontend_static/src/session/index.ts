/**
 * What canvas, run and panels may use. `useSession(state => …)` watches, `session.…` acts,
 * `packs` and `runs` ask the server what the session does not keep, `register` adds commands.
 */

export { newStateId, STATE_KIND_MIME, paletteOf } from "./newStates";
export { session, useSession } from "./session";
export { shallow } from "../ui/store";
export { urlForLevel, canOpenLevel, TOP_LEVEL, levelKey, levelFromUrl, levelOf, levelsIn, idPrefix, shortId } from "./canvasLevels";
export * from "./commands";
export { fragmentText, readFragment } from "./clipboard";
export { errorMessage, type ErrorMessage } from "./notices";
export { transitionId } from "./optimisticEdits";
export { EMPTY_GRAPH } from "./state";
export { ApiError, packs, runs, Unreachable, type NewFork } from "../api";
export type * from "./state";
export type * from "../api/types";
export type * from "../api/runTypes";
