import { Fragment } from "react";
import { packs, runCommand, useFetched } from "../../session";
import { askingLines, toolSummary, type CallApproval } from "./toolSummary";
import { Button } from "../../ui/Button";
import { Check } from "../../ui/Check";

interface Props {
  pack: string | number;
  commands: boolean;
  allow: (commands: boolean) => void;
  /**
   * Called before the tools dialog replaces this one. Without it there is no link to that dialog.
   */
  leave?: () => void;
  /** The calls that the pack lets a person approve. */
  approvals: readonly CallApproval[];
  /** The tools whose calls the run makes without asking; null if that is not offered. */
  allowed?: ToolChoice | null;
}

interface ToolChoice {
  names: readonly string[];
  change: (names: string[]) => void;
}

/** A summary of the pack's tools, and whether the run may run commands. */
export function ToolsLine({ pack, commands, allow, leave, approvals, allowed = null }: Props) {
  const tools = useFetched([pack], () => packs.tools(pack));
  const kinds = useFetched([], () => packs.toolKinds());
  const commandsBarred = kinds?.find((one) => one.name === "command")?.allowed !== true;
  return (
    <>
      {tools && tools.length > 0 && (
        <p className="help run-line">
          {toolSummary(tools)}{" "}
          {leave && (
            <Button kind="link" onClick={() => (leave(), runCommand("tools"))}>
              Edit tools
            </Button>
          )}
        </p>
      )}
      {tools && (
        <AskingTools
          lines={askingLines(tools, approvals, commands && !commandsBarred)}
          allowed={allowed}
        />
      )}
      {!commandsBarred && (
        <Check kind="run-line" on={commands} set={allow}>
          <span>
            May run commands{" "}
            <span className="help">of the pack and of its tools; otherwise each asks a person</span>
          </span>
        </Check>
      )}
    </>
  );
}

/** The tools and states that ask a person in this run, each with the reason. */
function AskingTools({
  lines,
  allowed,
}: {
  lines: ReturnType<typeof askingLines>;
  allowed: ToolChoice | null;
}) {
  if (lines.length === 0) return null;
  return (
    <ul className="help asking-tools" aria-label="Tools that ask a person">
      {lines.map(({ names, reason, allows }) => (
        <li key={`${names.join(" ")} ${reason}`} data-asking-tool={names.join(" ")}>
          {names.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && (index === names.length - 1 ? " and " : ", ")}
              <code translate="no">{name}</code>
            </Fragment>
          ))}{" "}
          {reason}.
          {allowed && allows && (
            <label className="check">
              <input
                type="checkbox"
                aria-label={`Allow ${allows} in this run`}
                checked={allowed.names.includes(allows)}
                onChange={({ target }) =>
                  allowed.change([
                    ...allowed.names.filter((name) => name !== allows),
                    ...(target.checked ? [allows] : []),
                  ])
                }
              />
              Allow in this run
            </label>
          )}
        </li>
      ))}
    </ul>
  );
}
