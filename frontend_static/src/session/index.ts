/**
 * What canvas, run and panels may use. `useSession(state => …)` watches, `session.…` acts,
 * `packs` and `runs` ask the server what the session does not keep, `register` adds commands.
 */

export { freshId, KIND_TYPE, paletteOf } from "./newStates";
export { session, useSession } from "./session";
export { shallow } from "../ui/store";
export { addressOf, canOpen, FIRST, keyOf, levelInAddress, levelOf, levelsIn, prefixOf, shortId } from "./canvasLevels";
export * from "./commands";
export { fragmentText, readFragment } from "./clipboard";
export { troubleOf, type Trouble } from "./notices";
export { transitionId } from "./optimisticEdits";
export { EMPTY_GRAPH } from "./state";
export { ApiError, packs, runs, Unreachable, type NewFork } from "../api";
export type * from "./state";
export type * from "../api/types";
export type * from "../api/runTypes";
