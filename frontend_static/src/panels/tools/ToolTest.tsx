import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { errorText } from "../../ui/errorText";
import { packs, errorMessage, type Json, type PackTool, type ToolTestResult } from "../../session";
import { Code } from "../../ui/code/Code";
import { emptyValue, isObject, type Schema } from "../form/schema";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";
import { Check } from "../../ui/Check";
import { Pre } from "../../ui/Pre";

const OUTCOME_TITLES = {
  result: "The model would receive",
  error: "The call failed; the model would receive",
  person: "Nothing was called",
} as const;

const OUTCOME_LEVELS = { result: "success", error: "error", person: "warning" } as const;

interface Props {
  pack: string | number;
  tool: PackTool;
  /** The test uses the stored binding, so it is disabled while the form has unsaved changes. */
  ready: boolean;
}

/** Calls the tool with these arguments, as a run would. */
export function ToolTest({ pack, tool, ready }: Props) {
  const [text, setText, drop] = useKept(`try ${pack} ${tool.tool}`, "Arguments", () =>
    JSON.stringify(emptyArguments(tool), null, 2),
  );
  const [initialText] = useState(text);
  const [commands, setCommands] = useState(false);
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState<ToolTestResult | null>(null);
  const call = async () => {
    setBusy(true);
    setTried(await callTool(pack, tool.tool, text, commands));
    drop();
    setBusy(false);
  };
  return (
    <div className="tool-test">
      <h4>Try it</h4>
      <div className="field">
        <div className="field-label">Arguments</div>
        <Code
          label="Arguments of the trial"
          value={initialText}
          language="json"
          onChange={setText}
        />
        <div className="help">
          The call is real: a request is sent, a note is kept. Files are a copy of the pack's,
          deleted afterwards.
        </div>
      </div>
      <div className="row">
        <Button disabled={busy || !ready} onClick={() => void call()}>
          <FlaskConical className="icon" aria-hidden /> {busy ? "Calling…" : "Call it"}
        </Button>
        {tool.answered_by === "command" && (
          <Check on={commands} set={setCommands}>
            as in a run that may run commands
          </Check>
        )}
        {!ready && (
          <span className="muted small">Save first: the trial uses the stored binding.</span>
        )}
      </div>
      {tried && ready && (
        <div
          className={`notice ${OUTCOME_LEVELS[tried.outcome]}`}
          role="status"
          data-outcome={tried.outcome}
        >
          <div>
            {OUTCOME_TITLES[tried.outcome]}
            {tried.outcome === "person" ? (
              <div className="help">{tried.text}</div>
            ) : (
              <Pre>{tried.text || "(nothing)"}</Pre>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

async function callTool(
  pack: string | number,
  tool: string,
  text: string,
  commands: boolean,
): Promise<ToolTestResult> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text || "{}");
  } catch (error) {
    return { outcome: "person", text: `The arguments are not JSON: ${errorText(error)}` };
  }
  if (!isObject(parsed as Json))
    return { outcome: "person", text: 'The arguments are an object: {"name": value}.' };
  try {
    return await packs.testTool(pack, {
      tool,
      arguments: parsed as { [name: string]: Json },
      commands,
    });
  } catch (error) {
    const { message, hint } = errorMessage(error);
    return { outcome: "person", text: `${message} ${hint}`.trim() };
  }
}

/** Minimal values for all arguments of the tool's schema. */
function emptyArguments(tool: PackTool): Json {
  const schema = tool.parameters as Schema;
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    properties.map(([name, one]) => [name, isObject(one as Json) ? emptyValue(one) : null]),
  );
}
