import type { NewRun } from "../../session";

/** The workspace of a new run; kind "" until one is chosen. */
export interface WorkspaceSettings {
  kind: "" | "pack" | "folder" | "git";
  path: string;
  ref: string;
}

export const NO_WORKSPACE: WorkspaceSettings = { kind: "", path: "", ref: "" };

/** The workspace of a request; nothing for a copy of the pack. */
export function workspaceBody({ kind, path, ref }: WorkspaceSettings): Pick<NewRun, "workspace"> {
  if (kind === "" || kind === "pack") return {};
  const place = { kind, path: path.trim() };
  return { workspace: kind === "git" ? { ...place, ref: ref.trim() } : place };
}
