import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { sentenceOf } from "../../ui/errorText";
import { packs, troubleOf, type Json, type PackTool, type ToolTried } from "../../session";
import { Code } from "../../ui/code/Code";
import { blank, isObject, type Schema } from "../form/schema";

const HEADS = {
  result: "The model would hear",
  error: "The call failed, and the model would hear",
  person: "Nothing was called",
} as const;

const TONES = { result: "success", error: "error", person: "warning" } as const;

interface Props {
  pack: string | number;
  tool: PackTool;
  /** What is tried is what is stored: not while the form says something else. */
  ready: boolean;
}

/** One call with these arguments, made as a run would make it. */
export function Trial({ pack, tool, ready }: Props) {
  const [text, setText] = useState(() => JSON.stringify(example(tool), null, 2));
  const [shown] = useState(text);
  const [commands, setCommands] = useState(false);
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState<ToolTried | null>(null);
  const call = async () => {
    setBusy(true);
    setTried(await outcome(pack, tool.tool, text, commands));
    setBusy(false);
  };
  return (
    <div className="tool-trial">
      <h4>Try it</h4>
      <div className="field">
        <div className="field-label">Arguments</div>
        <Code label="Arguments of the trial" value={shown} language="json" onChange={setText} />
        <div className="help">
          The call is real: a request is sent, a note is kept. Files are a copy of the pack's, thrown away afterwards.
        </div>
      </div>
      <div className="row">
        <button type="button" className="button" disabled={busy || !ready} onClick={() => void call()}>
          <FlaskConical className="icon" aria-hidden /> {busy ? "Calling…" : "Call it"}
        </button>
        {tool.answered_by === "command" && (
          <label className="check">
            <input type="checkbox" checked={commands} onChange={(event) => setCommands(event.target.checked)} />
            as in a run that may run commands
          </label>
        )}
        {!ready && <span className="muted small">Save first: what is stored is called.</span>}
      </div>
      {tried && ready && (
        <div className={`notice ${TONES[tried.outcome]}`} role="status" data-outcome={tried.outcome}>
          <div>
            {HEADS[tried.outcome]}
            {tried.outcome === "person" ? <div className="help">{tried.text}</div> : <pre>{tried.text || "(nothing)"}</pre>}
          </div>
        </div>
      )}
    </div>
  );
}

async function outcome(pack: string | number, tool: string, text: string, commands: boolean): Promise<ToolTried> {
  let given: unknown;
  try {
    given = JSON.parse(text || "{}");
  } catch (error) {
    return { outcome: "person", text: `The arguments are not JSON: ${sentenceOf(error)}` };
  }
  if (!isObject(given as Json)) return { outcome: "person", text: "The arguments are an object: {\"name\": value}." };
  try {
    return await packs.tryTool(pack, { tool, arguments: given as { [name: string]: Json }, commands });
  } catch (error) {
    const { message, hint } = troubleOf(error);
    return { outcome: "person", text: `${message} ${hint}`.trim() };
  }
}

/** Every argument that the pack's schema names, at its emptiest. */
function example(tool: PackTool): Json {
  const schema = tool.parameters as Schema;
  const named = Object.entries(schema.properties ?? {});
  return Object.fromEntries(named.map(([name, one]) => [name, isObject(one as Json) ? blank(one) : null]));
}
