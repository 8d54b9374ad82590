/** Requests about a run, one function per endpoint. */

import { call, get, patch, post } from "./client";
import type * as run from "./runTypes";
import type { components } from "./schema";
import type { PackSummary, Graph } from "./types";

export type NewFork = components["schemas"]["NewForkRequest"];
export type Forked = components["schemas"]["Forked"];
export type RunMarks = components["schemas"]["PatchedRunChangeRequest"];
export type NewTrial = components["schemas"]["NewModelTrialRequest"];
export type Trial = components["schemas"]["ModelTrial"];

const runPath = (id: string, rest = "") => `runs/${id}/${rest}`;

export const runs = {
  /** The answer has the first events of the run. */
  start: (body: run.NewRun, wait_ms = 0) =>
    call<run.StartedRun>("POST", "runs/", { body, query: wait_ms ? { wait_ms } : {} }),
  list: (query: { pack?: number | string; status?: string; driver?: string; q?: string } = {}) =>
    get<run.RunPage>("runs/", query),
  get: (id: string) => get<run.Run>(runPath(id)),
  /** Exempt a run from pruning, or end the exemption. */
  keep: (id: string, kept: boolean) => patch<run.Run>(runPath(id), { kept }),
  /** Change what people put on a run: tags, note, score. */
  mark: (id: string, marks: RunMarks) => patch<run.Run>(runPath(id), marks),
  /** The run's graph after event `at`, or after the last event. */
  graph: (id: string, query: { at?: number } = {}) => get<Graph>(runPath(id, "graph/"), query),
  /** Create a pack from the run's graph as it was after event `at`. */
  saveGraph: (id: string, body: { name: string; at: number }) =>
    post<PackSummary>(runPath(id, "save-graph/"), body),
  events: (id: string, after = 0, limit = 1000) =>
    get<run.EventPage>(runPath(id, "events/"), { after, limit }),
  /** The run's answer, artifacts and files, its end and its totals. */
  result: (id: string) => get<run.RunResult>(runPath(id, "result/")),
  artifacts: (id: string) => get<run.Artifact[]>(runPath(id, "artifacts/")),
  signal: (id: string, signal: run.Signal) => post<run.EventPage>(runPath(id, "signals/"), signal),
  /** Start a new run with the first events of this one. */
  fork: (id: string, body: NewFork) => post<Forked>(runPath(id, "fork/"), body),
  /** Send a recorded model call again with changes. Nothing of it is stored. */
  trial: (id: string, body: NewTrial) => post<Trial>(runPath(id, "trials/"), body),
  /** Keep what an ended run changed in a repository as a new branch. */
  keepBranch: (id: string, body: { branch: string; message: string }) =>
    post<{ branch: string; commit: string }>(runPath(id, "branch/"), body),
  /** Keep an ended run as a case: a file in a new revision of its pack. */
  keepCase: (pack: number, body: { run: string; name: string }) =>
    post<{ path: string; holds: boolean | null }>(`packs/${pack}/cases/`, body),
  /** The run as a script that repeats its answers. */
  script: (id: string) => get<Record<string, unknown>>(runPath(id, "script/")),
  pending: (id: string) => get<run.Pending[]>(runPath(id, "pending/")),
  /** The reason why a run does not move. */
  wait: (id: string) => get<run.RunWait>(runPath(id, "wait/")),
  /** The open questions of a run as the queue has them. */
  approvals: (id: string) =>
    get<run.ApprovalPage>("approvals/", { run: id, status: "open", limit: 100 }),
  /** Ask another person to answer a question; "" withdraws the request. */
  passApproval: (id: string, person: string) =>
    post<run.Approval>(`approvals/${id}/pass/`, { person }),
  /** The model connections that a run can use. */
  connections: () => get<run.Connection[]>("connections/"),
};
