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
      <AskingTools tools={tools ?? []} commands={commands && !commandsBarred} />
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

const ASKING_REASONS: Readonly<Record<string, string>> = {
  person: "has no binding, so a person answers each call",
  command: "is a command, and this run may not run commands, so a person answers each call",
  missing: "is not available on this server, so no run with a model starts",
};

/** The tools that ask a person in this run, each with the reason. */
function AskingTools({ tools, commands }: { tools: readonly PackTool[]; commands: boolean }) {
  const asking = tools.filter(
    (tool) =>
      tool.in_pack &&
      tool.answered_by in ASKING_REASONS &&
      !(tool.answered_by === "command" && commands),
  );
  if (asking.length === 0) return null;
  return (
    <ul className="help asking-tools" aria-label="Tools that ask a person">
      {asking.map((tool) => (
        <li key={tool.tool} data-asking-tool={tool.tool}>
          <code>{tool.tool}</code> {ASKING_REASONS[tool.answered_by]}.
        </li>
      ))}
    </ul>
  );
}
