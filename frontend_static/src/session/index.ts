/**
 * The session's public interface: canvas, run and panels import this module only. `useSession` reads
 * state, `session` changes it, `packs`, `runs` and `roles` send requests whose answers the session does
 * not keep, and `registerCommands` adds commands.
 */

export { draftState, keepDraft, dropDraft } from "./drafts";
export { freeId, newStateId, STATE_KIND_MIME, paletteOf } from "./newStates";
export { session, useSession } from "./session";
export { useFetched } from "./useFetched";
export { shallow } from "zustand/shallow";
export {
  urlFor,
  canOpenLevel,
  TOP_LEVEL,
  levelKey,
  levelFromUrl,
  stateFromUrl,
  levelOf,
  levelsIn,
  idPrefix,
  shortId,
} from "./canvasLevels";
export * from "./commands";
export {
  commandEntry,
  menuEntriesAt,
  registerMenu,
  type MenuEntry,
  type MenuPlace,
} from "./contextMenu";
export { fragmentText, readFragment } from "./clipboard";
export { fragmentStates, readPasted, type PastedText } from "./pastedText";
export { errorMessage, type ErrorMessage } from "../ui/errorText";
export { emptyState, transitionId } from "./optimisticEdits";
export { cardFindings, EMPTY_GRAPH, isFixed } from "./state";
export {
  ApiError,
  csrf,
  onNextAnswer,
  onSessionEnd,
  packs,
  roles,
  runs,
  Unreachable,
  type NewFork,
  type NewTrial,
  type Trial,
  type Role,
  type RoleMode,
  type StatePrompt,
} from "../api";
export type * from "./state";
export type * from "../api/types";
export type * from "../api/runTypes";
