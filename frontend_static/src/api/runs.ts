/** Requests about a run, one function per endpoint. */

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
  /** Exempt a run from pruning, or end the exemption. */
  keep: (id: string, kept: boolean) => patch<run.Run>(runPath(id), { kept }),
  /** The run's graph after event `at`, or after the last event. */
  graph: (id: string, query: { at?: number } = {}) => get<Graph>(runPath(id, "graph/"), query),
  /** Create a pack from the run's graph as it was after event `at`. */
  saveGraph: (id: string, body: { name: string; at: number }) =>
    post<PackSummary>(runPath(id, "save-graph/"), body),
  events: (id: string, after = 0, limit = 1000) =>
    get<run.EventPage>(runPath(id, "events/"), { after, limit }),
  artifacts: (id: string) => get<run.Artifact[]>(runPath(id, "artifacts/")),
  signal: (id: string, signal: run.Signal) => post<run.EventPage>(runPath(id, "signals/"), signal),
  /** Start a new run with the first events of this one. */
  fork: (id: string, body: NewFork) => post<Forked>(runPath(id, "fork/"), body),
  /** The run as a script that repeats its answers. */
  script: (id: string) => get<Record<string, unknown>>(runPath(id, "script/")),
  pending: (id: string) => get<run.Pending[]>(runPath(id, "pending/")),
  /** The model connections that a run can use. */
  connections: () => get<run.Connection[]>("connections/"),
};
