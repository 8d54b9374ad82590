/** Names for the API's run schemas, and the messages of a pack's socket. */

import type { components } from "./schema";

type Shapes = components["schemas"];

export type Run = Shapes["RunDescription"];
/** The answer to a start: the run with its first events. */
export type StartedRun = Omit<Shapes["StartedRun"], "events"> & Pick<EventPage, "events">;
export type RunResult = components["schemas"]["RunResult"];
export type RunPage = Shapes["RunPage"];
export type NewRun = Shapes["NewRunRequest"];
export type RunEvent = Shapes["RunEvent"];
/** The event types that every dialect shares, by `type`. */
export type CoreEvent = Shapes["CoreEvent"];
export type EventPage = Shapes["Events"];
export type Artifact = Shapes["ArtifactValue"];
export type Signal = Shapes["NewSignalRequest"];
export type Pending = Shapes["Pending"];
export type RunWait = Shapes["RunWait"];
export type Approval = Shapes["Approval"];
export type ApprovalPage = Shapes["ApprovalPage"];
export type NewAnswer = Partial<Shapes["NewAnswerRequest"]>;
export type Connection = Shapes["ConnectionDescription"];

export interface Person {
  name: string;
  element: string;
}

export type PackMessage =
  | { type: "hello"; head: number }
  | { type: "revision"; number: number; author: string }
  | { type: "written"; number: number; problem: string; checkout: string }
  | { type: "proposals"; changes: number }
  | { type: "presence"; people: Person[] }
  | { type: "ping" };
