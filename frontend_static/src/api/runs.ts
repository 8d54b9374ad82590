/** Every question about a run that the server answers, one function each. */

import { get, patch, post } from "./client";
import type * as run from "./runTypes";
import type { components } from "./schema";
import type { PackSummary, Graph } from "./types";

export type NewFork = components["schemas"]["NewForkRequest"];
export type Forked = components["schemas"]["Forked"];

const runPath = (id: string, rest = "") => `runs/${id}/${rest}`;

export const runs = {
  start: (body: run.NewRun) => post<run.Run>("runs/", body),
  list: (query: { pack?: number | string; status?: string; driver?: string; q?: string } = {}) =>
    get<run.RunPage>("runs/", query),
  get: (id: string) => get<run.Run>(runPath(id)),
  /** Whether old runs are pruned without it. */
  keep: (id: string, kept: boolean) => patch<run.Run>(runPath(id), { kept }),
  /** With what the run added by event `at`; all of it where none is named. */
  graph: (id: string, query: { at?: number } = {}) => get<Graph>(runPath(id, "graph/"), query),
  /** Make a pack of the run's graph as it was after event `at`. */
  saveGraph: (id: string, body: { name: string; at: number }) =>
    post<PackSummary>(runPath(id, "save-graph/"), body),
  events: (id: string, after = 0, limit = 1000) =>
    get<run.EventPage>(runPath(id, "events/"), { after, limit }),
  artifacts: (id: string) => get<run.Artifact[]>(runPath(id, "artifacts/")),
  signal: (id: string, signal: run.Signal) => post<run.EventPage>(runPath(id, "signals/"), signal),
  /** Begin a new run with the first events of this one. */
  fork: (id: string, body: NewFork) => post<Forked>(runPath(id, "fork/"), body),
  /** The run as a script that repeats it. */
  script: (id: string) => get<Record<string, unknown>>(runPath(id, "script/")),
  pending: (id: string) => get<run.Pending[]>(runPath(id, "pending/")),
  /** Ways to real models, for a run to be started with. */
  connections: () => get<run.Connection[]>("connections/"),
};
