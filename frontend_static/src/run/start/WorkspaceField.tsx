import { useEffect } from "react";
import { packs, useFetched } from "../../session";
import type { WorkspaceSettings } from "./workspaceSettings";
import { Button } from "../../ui/Button";
import { FieldLabel } from "../../ui/FieldLabel";

interface Props {
  pack: string | number;
  value: WorkspaceSettings;
  change: (value: WorkspaceSettings) => void;
}

const KINDS = [
  {
    kind: "pack",
    title: "Copy of the pack",
    help: "A folder with the pack's files, kept with the run.",
  },
  {
    kind: "git",
    title: "Git work tree",
    help: "A work tree of a repository, made for the run and removed after it. Its changes can become a branch.",
  },
  { kind: "folder", title: "Folder", help: "The files of this folder are changed directly." },
] as const;

/** The folder that a run's tools and commands work in. Hidden if the operator allows no other. */
export function WorkspaceField({ pack, value, change }: Props) {
  const choices = useFetched([pack], () => packs.workspaces(pack));
  const first = choices?.repositories[0]?.path ?? "";
  const wanted = choices?.worktree === true && value.kind === "" && first !== "";
  useEffect(() => {
    if (wanted) change({ ...value, kind: "git", path: value.path || first });
  });
  if (!choices || choices.folders.length === 0) return null;
  const shown = value.kind || "pack";
  const branches = choices.repositories.find((one) => one.path === value.path)?.branches ?? [];
  return (
    <div className="field">
      <div className="field-label">Workspace</div>
      <div>
        <span className="segments" role="group" aria-label="Workspace of the run">
          {KINDS.map((one) => (
            <Button
              key={one.kind}
              kind="small"
              aria-pressed={one.kind === shown}
              onClick={() =>
                change({
                  ...value,
                  kind: one.kind,
                  path: value.path || (one.kind === "git" ? first : (choices.folders[0] ?? "")),
                })
              }
            >
              {one.title}
            </Button>
          ))}
        </span>
      </div>
      <div className="help">
        {KINDS.find((one) => one.kind === shown)?.help}
        {choices.worktree && shown !== "git" && " The pack asks for a git work tree."}
      </div>
      {shown !== "pack" && (
        <div className="columns">
          <FieldLabel label={shown === "git" ? "Repository" : "Folder"}>
            <input
              className="mono"
              list="workspace-paths"
              value={value.path}
              onChange={(event) => change({ ...value, path: event.target.value })}
            />
          </FieldLabel>
          <datalist id="workspace-paths">
            {(shown === "git" ? choices.repositories.map((one) => one.path) : choices.folders).map(
              (path) => (
                <option key={path} value={path} />
              ),
            )}
          </datalist>
          {shown === "git" && (
            <FieldLabel label="Branch, tag or commit">
              <input
                className="mono"
                list="workspace-refs"
                value={value.ref}
                placeholder="HEAD"
                onChange={(event) => change({ ...value, ref: event.target.value })}
              />
              <datalist id="workspace-refs">
                {branches.map((branch) => (
                  <option key={branch} value={branch} />
                ))}
              </datalist>
            </FieldLabel>
          )}
        </div>
      )}
    </div>
  );
}
