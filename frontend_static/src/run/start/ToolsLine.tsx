import { useEffect, useState } from "react";
import { packs, runCommand, session, type PackTool, type ToolKind } from "../../session";
import { toolSummary } from "./toolSummary";

interface Props {
  pack: string | number;
  commands: boolean;
  allow: (commands: boolean) => void;
  /**
   * Called before the tools dialog replaces this one. Without it there is no link to that dialog.
   */
  leave?: () => void;
}

/** A summary of the pack's tools, and whether the run may run commands. */
export function ToolsLine({ pack, commands, allow, leave }: Props) {
  const [tools, setTools] = useState<PackTool[] | null>(null);
  const [kinds, setKinds] = useState<ToolKind[]>([]);
  useEffect(() => {
    const notifyError = (error: unknown) => session.notifyError(error);
    packs.tools(pack).then(setTools, notifyError);
    packs.toolKinds().then(setKinds, notifyError);
  }, [pack]);
  const commandsBarred = kinds.find((one) => one.name === "command")?.allowed !== true;
  return (
    <>
      {tools && tools.length > 0 && (
        <p className="help run-line">
          {toolSummary(tools)}{" "}
          {leave && (
            <button
              type="button"
              className="button link"
              onClick={() => (leave(), runCommand("tools"))}
            >
              Edit tools
            </button>
          )}
        </p>
      )}
      {!commandsBarred && (
        <label className="check run-line">
          <input
            type="checkbox"
            checked={commands}
            onChange={(event) => allow(event.target.checked)}
          />
          <span>
            May run commands{" "}
            <span className="help">of the pack and of its tools; otherwise each asks a person</span>
          </span>
        </label>
      )}
    </>
  );
}
