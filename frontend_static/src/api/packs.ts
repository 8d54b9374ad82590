/** Requests about a pack, one function per endpoint. */

import { address, call, get, patch, post, put, remove } from "./client";
import { settled, type OnProgress } from "./repositoryTasks";
import type * as wire from "./types";

/** After this time an edit is sent again. The server saves no edit twice. */
const EDIT_LIMIT_MS = 30_000;

type PackId = number | string;
type Choices = Record<string, wire.PullChoice>;
const packPath = (id: PackId, rest = "") => `packs/${id}/${rest}`;
/** An author's name as URL path segments. The name may contain slashes. */
const encodePath = (name: string) => name.split("/").map(encodeURIComponent).join("/");

export const packs = {
  /** Import a text as a pack. */
  importText: (text: string) => post<wire.Imported>("import/", { text }),
  detail: (id: PackId) => get<wire.PackDetail>(packPath(id)),
  change: (id: PackId, values: wire.PackChange) => patch<wire.PackDetail>(packPath(id), values),
  graph: (id: PackId, revision?: number) => get<wire.Graph>(packPath(id, "graph/"), { revision }),
  /**
   * The answer has the form of `element`, no findings if the check of a large pack lasts, and no
   * states that only moved as requested.
   */
  edit: (id: PackId, base: number, edits: wire.Edit[], element: string) =>
    call<wire.Change>("POST", packPath(id, "edits/"), {
      body: { base, edits, element, check_later: true, leave_out_moves: true },
      limit: EDIT_LIMIT_MS,
    }),
  undo: (id: PackId, base: number) => post<wire.Change>(packPath(id, "undo/"), { base }),
  redo: (id: PackId, base: number) => post<wire.Change>(packPath(id, "redo/"), { base }),
  changes: (id: PackId, after: number) => get<wire.Change>(packPath(id, "changes/"), { after }),
  offers: (id: PackId, state: string) => get<wire.Offer[]>(packPath(id, "offers/"), { state }),
  /** Inputs that select how a run works. */
  options: (id: PackId) => get<wire.RunOption[]>(packPath(id, "options/")),
  /** The inputs of a run as the pack describes them, and an estimate of its use. */
  start: (
    id: PackId,
    started_by = "ticket",
    choice: { connection?: string; model?: string } = {},
  ) => get<wire.RunStart>(packPath(id, "start/"), { started_by, ...choice }),
  /** The most agents or model calls of a run, with numbers for what only a run knows. */
  worstCase: (id: PackId, assumed: Readonly<Record<string, number>>, session_model = "") =>
    get<wire.CallBound>(packPath(id, "worst-case/"), {
      assume: Object.entries(assumed).map(([name, number]) => `${name}=${number}`),
      session_model,
    }),
  /** Names of the inputs that a run needs, or that its roles name if it is started by this. */
  inputs: (id: PackId, started_by = "ticket") =>
    get<string[]>(packPath(id, "inputs/"), { started_by }),
  fields: (id: PackId, element: string) => get<wire.Form>(packPath(id, "fields/"), { element }),
  copy: (id: PackId, states: string[]) => post<wire.Fragment>(packPath(id, "copy/"), { states }),
  files: (id: PackId) => get<wire.PackFile[]>(packPath(id, "files/")),
  file: (id: PackId, path: string) => get<wire.FileText>(packPath(id, "files/"), { path }),
  /** The text of each element in one file of the newest revision. */
  textRanges: (id: PackId, path: string) =>
    get<wire.TextRange[]>(packPath(id, "text-ranges/"), { path }),
  /** Check a text that is not saved. Writes nothing. */
  checkText: (id: PackId, path: string, text: string) =>
    post<wire.CheckedText>(packPath(id, "check-text/"), { path, text }),
  /** Find a text, and preview its replacement. Writes nothing. */
  find: (id: PackId, request: wire.FindRequest) =>
    post<wire.FindResult>(packPath(id, "find/"), request),
  revisions: (id: PackId) => get<wire.RevisionPage>(packPath(id, "revisions/")),
  diff: (id: PackId, from: number, to: number) =>
    get<wire.Diff>(packPath(id, "diff/"), { from, to }),
  restore: (id: PackId, number: number) =>
    post<wire.Change>(packPath(id, `revisions/${number}/restore/`)),
  nameRevision: (id: PackId, number: number, name: string) =>
    post<wire.Revision>(packPath(id, `revisions/${number}/name/`), { name }),
  /** `walk`: the number of the run whose events are returned; 0 for none. */
  rehearse: (id: PackId, runs: number, seed: number, walk = 0) =>
    post<wire.Rehearsal>(packPath(id, "rehearse/"), { runs, seed, walk }),
  /** A run that another runtime has recorded in these files: path → text. */
  recordedRun: (id: PackId, files: Readonly<Record<string, string>>) =>
    post<wire.RecordedRun>(packPath(id, "recorded-run/"), { files }),
  /** Time, cost and failures of each state over the runs of a revision. */
  heat: (id: PackId, revision: number) =>
    get<wire.RevisionHeat>(packPath(id, "heat/"), { revision }),
  /** The download address of the pack: its own files, a zip, or the export form `as`. */
  exportAddress: (id: PackId, how: { zip?: boolean; as?: string } = {}) =>
    address(packPath(id, "export/"), { format: how.zip ? "zip" : "", as: how.as }),
  exports: (id: PackId) => get<wire.ExportForm[]>(packPath(id, "exports/")),
  convert: (id: PackId, to: string) => post<wire.Conversion>(packPath(id, "convert/"), { to }),
  gitDestinations: (id: PackId) => get<wire.GitDestination[]>(packPath(id, "export/git/")),
  /** The commit that an export would make. Writes nothing. */
  planGitExport: (id: PackId, where: wire.GitTarget) =>
    post<wire.GitPlan>(packPath(id, "export/git/plan/"), where),
  exportToGit: (id: PackId, where: wire.GitExport) =>
    post<wire.GitExported>(packPath(id, "export/git/"), where),
  /** The commit in the opened folder on this branch; "": the checked-out one. Writes nothing. */
  planCommit: (id: PackId, branch: string) =>
    post<wire.CommitPlan>(packPath(id, "commit/plan/"), { branch }),
  commit: (id: PackId, body: wire.PackCommit) =>
    post<wire.GitExported>(packPath(id, "commit/"), body),
  /** The pack's place in its repository, as of the last fetch. */
  upstream: (id: PackId) => get<wire.UpstreamBody>(packPath(id, "upstream/")),
  /** Save the chosen texts of a conflict with the opened folder. */
  decideFolderConflict: (id: PackId, conflict: wire.FolderConflict, choices: Choices) =>
    post<{ revision: number }>(packPath(id, `folder-conflicts/${conflict.id}/`), {
      expected_revision: conflict.revision,
      choices,
    }),
  /** A fetch that lasts continues in the background; the answer comes at its end. */
  fetchRepository: async (repository: number): Promise<wire.Repository> => {
    const path = `repositories/${repository}/`;
    const begun = await post<wire.Repository | wire.RepositoryTask>(`${path}fetch/`);
    // The repository has the problem of a fetch that failed.
    await settled(begun).catch(() => null);
    return get<wire.Repository>(path);
  },
  repository: (repository: number) => get<wire.Repository>(`repositories/${repository}/`),
  followBranch: (id: PackId, branch: string) =>
    patch<wire.UpstreamBody>(packPath(id, "upstream/"), { branch }),
  /** The newer commits and what they change. Writes nothing. */
  pullPlan: (id: PackId) => get<wire.PullPlan>(packPath(id, "upstream/pull/")),
  pull: (id: PackId, body: wire.PullRequest) =>
    post<wire.Pulled>(packPath(id, "upstream/pull/"), body),
  /** The commit that a proposal would make. Commits nothing. */
  proposePlan: (id: PackId, body: wire.ProposalDraft) =>
    post<wire.ProposePlan>(packPath(id, "upstream/propose/plan/"), body),
  propose: async (id: PackId, body: wire.Proposal, onProgress?: OnProgress) =>
    settled(
      await post<wire.Proposed | wire.RepositoryTask>(packPath(id, "upstream/propose/"), body),
      onProgress,
    ),
  /** Ask the assistant for a proposal; a run answers. */
  ask: (id: PackId, body: wire.AssistantRequest) =>
    post<wire.AssistantRun>(packPath(id, "assistant/"), body),
  /** The proposals that wait for a decision, newest first. */
  proposals: (id: PackId) =>
    get<{ results: wire.StoredProposal[] }>(packPath(id, "proposals/"), { status: "pending" }),
  /** A proposal with the consequences of some of its parts. `quick`: without runs and coverage. */
  proposal: (id: PackId, proposal: number, parts: readonly number[], quick: boolean) =>
    get<wire.ReviewedProposal>(packPath(id, `proposals/${proposal}/`), {
      part: parts.map(String),
      quick,
    }),
  acceptProposal: (id: PackId, proposal: number, parts: readonly number[]) =>
    post<wire.Change>(packPath(id, `proposals/${proposal}/accept/`), { parts }),
  withdrawProposal: (id: PackId, proposal: number) =>
    remove(packPath(id, `proposals/${proposal}/`)),
  rejectProposal: (id: PackId, proposal: number, parts: readonly number[], reason: string) =>
    post<wire.StoredProposal>(packPath(id, `proposals/${proposal}/reject/`), { parts, reason }),
  /** The findings of the newest revision: those that a graph has, or all of them. */
  findings: (id: PackId, per_rule: number | null) =>
    get<wire.Finding[]>(packPath(id, "findings/"), per_rule === null ? {} : { per_rule }),
  tools: (id: PackId) => get<wire.PackTool[]>(packPath(id, "tools/")),
  connectedTools: async () => {
    const servers = await get<wire.McpServer[]>("mcp-servers/");
    return servers.flatMap((server) => server.tools.map((tool) => tool.name));
  },
  toolKinds: () => get<wire.ToolKind[]>("tool-kinds/"),
  bindTool: (id: PackId, tool: string, binding: wire.NewBinding) =>
    put<wire.Binding>(packPath(id, `tools/${encodePath(tool)}/`), binding),
  unbindTool: (id: PackId, tool: string) => remove(packPath(id, `tools/${encodePath(tool)}/`)),
  /** Call a tool through its binding. The call is real. */
  testTool: (
    id: PackId,
    body: { tool: string; arguments: { [name: string]: wire.Json }; commands: boolean },
  ) => post<wire.ToolTestResult>(packPath(id, "try-tool/"), body),
  /** The workspaces that a run can be started in. */
  workspaces: (id: PackId) => get<wire.WorkspaceChoices>(packPath(id, "workspaces/")),
  models: (id: PackId) => get<wire.ModelChoices>(packPath(id, "models/")),
  /**
   * Set the connection and model of a state, or of the whole pack with "". Two empty strings remove
   * the choice.
   */
  chooseModel: (id: PackId, state: string, choice: wire.ModelChoice) =>
    put<wire.ModelChoices>(packPath(id, "models/"), { state, ...choice }),
  dialects: () => get<wire.DialectInfo[]>("dialects/"),
};
