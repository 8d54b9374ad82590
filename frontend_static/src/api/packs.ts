/** Every question about a pack that the server answers, one function each. */

import { address, get, patch, post, put, remove } from "./client";
import type * as wire from "./types";

type PackId = number | string;
const at = (id: PackId, rest = "") => `packs/${id}/${rest}`;
/** A name of the author's own, which may hold slashes. */
const inPath = (name: string) => name.split("/").map(encodeURIComponent).join("/");

export const packs = {
  card: (id: PackId) => get<wire.PackDetail>(at(id)),
  change: (id: PackId, values: wire.PackChange) => patch<wire.PackDetail>(at(id), values),
  graph: (id: PackId, revision?: number) => get<wire.Graph>(at(id, "graph/"), { revision }),
  edit: (id: PackId, base: number, edits: wire.Edit[]) =>
    post<wire.Change>(at(id, "edits/"), { base, edits }),
  undo: (id: PackId, base: number) => post<wire.Change>(at(id, "undo/"), { base }),
  redo: (id: PackId, base: number) => post<wire.Change>(at(id, "redo/"), { base }),
  changes: (id: PackId, after: number) => get<wire.Change>(at(id, "changes/"), { after }),
  offers: (id: PackId, state: string) => get<wire.Offer[]>(at(id, "offers/"), { state }),
  inputs: (id: PackId) => get<string[]>(at(id, "inputs/")),
  fields: (id: PackId, element: string) => get<wire.Form>(at(id, "fields/"), { element }),
  copy: (id: PackId, states: string[]) => post<wire.Fragment>(at(id, "copy/"), { states }),
  files: (id: PackId) => get<wire.PackFile[]>(at(id, "files/")),
  file: (id: PackId, path: string) => get<wire.FileText>(at(id, "files/"), { path }),
  revisions: (id: PackId) => get<wire.RevisionPage>(at(id, "revisions/")),
  diff: (id: PackId, from: number, to: number) => get<wire.Diff>(at(id, "diff/"), { from, to }),
  restore: (id: PackId, number: number) =>
    post<wire.Change>(at(id, `revisions/${number}/restore/`)),
  nameRevision: (id: PackId, number: number, name: string) =>
    post<wire.Revision>(at(id, `revisions/${number}/name/`), { name }),
  rehearse: (id: PackId, runs: number, seed: number) =>
    post<wire.Rehearsal>(at(id, "rehearse/"), { runs, seed }),
  /** Where to fetch the pack from: its own bytes, as a zip, or `as` another form. */
  exportAddress: (id: PackId, how: { zip?: boolean; as?: string } = {}) =>
    address(at(id, "export/"), { format: how.zip ? "zip" : "", as: how.as }),
  exports: (id: PackId) => get<wire.ExportForm[]>(at(id, "exports/")),
  convert: (id: PackId, to: string) => post<wire.Converted>(at(id, "convert/"), { to }),
  exportToGit: (id: PackId, where: wire.GitExport) =>
    post<wire.GitExported>(at(id, "export/git/"), where),
  tools: (id: PackId) => get<wire.PackTool[]>(at(id, "tools/")),
  toolKinds: () => get<wire.ToolKind[]>("tool-kinds/"),
  bindTool: (id: PackId, tool: string, binding: wire.NewBinding) =>
    put<wire.Binding>(at(id, `tools/${inPath(tool)}/`), binding),
  unbindTool: (id: PackId, tool: string) => remove(at(id, `tools/${inPath(tool)}/`)),
  /** Call a tool as it is bound: the call is real. */
  tryTool: (id: PackId, body: { tool: string; arguments: { [name: string]: wire.Json }; commands: boolean }) =>
    post<wire.ToolTried>(at(id, "try-tool/"), body),
  models: (id: PackId) => get<wire.ModelChoices>(at(id, "models/")),
  /** Who is asked in a state, or with "" in the whole pack; two empty texts take it back. */
  chooseModel: (id: PackId, state: string, choice: wire.ModelChoice) =>
    put<wire.ModelChoices>(at(id, "models/"), { state, ...choice }),
  dialects: () => get<wire.DialectInfo[]>("dialects/"),
};
