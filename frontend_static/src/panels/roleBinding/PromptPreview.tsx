import { useEffect, useState } from "react";
import { sentenceOf } from "../../ui/errorText";
import { useSession } from "../../session";
import { Blocks } from "../../run/artifacts/PromptBlocks";
import { partsOfPrompt } from "../../run/artifacts/promptTurns";
import { promptOf, type StatePrompt } from "./roleBinding";

const MODES = [
  { id: "", title: "No mode" },
  { id: "PLANNING", title: "Planning" },
  { id: "IMPLEMENTATION", title: "Implementation" },
] as const;

export interface Seen {
  prompt: StatePrompt | null;
  problem: string;
}

interface Props {
  seen: Seen;
  mode: string;
  choose: (mode: string) => void;
}

/** What would be sent in a state, block by block, as a rehearsal would ask it. */
export function Preview({ seen: { prompt, problem }, mode, choose }: Props) {
  return (
    <div className="preview" data-preview={prompt?.prompt?.hash ?? ""}>
      <span className="segments" role="group" aria-label="Mode that the run would be started in">
        {MODES.map((one) => (
          <button key={one.id} type="button" className="button small" aria-pressed={one.id === mode} onClick={() => choose(one.id)}>
            {one.title}
          </button>
        ))}
      </span>
      {(problem || prompt?.problem) && <p className="notice hint">{problem || prompt?.problem}</p>}
      {prompt?.warnings.map((warning) => (
        <p key={warning.path + warning.message} className="field-finding level-warning">
          <span>
            <span className="mono">{warning.path}</span> {warning.message}
          </span>
        </p>
      ))}
      {prompt?.prompt && (
        <>
          <Blocks parts={partsOfPrompt(prompt.prompt)} hash={prompt.prompt.hash} />
          <p className="help">
            About {prompt.tokens.toLocaleString("en")} tokens. {madeUp(prompt.inputs)}
          </p>
        </>
      )}
    </div>
  );
}

/** The prompt of a state, asked for again with every revision and whenever the page is come back to. */
export function usePrompt(state: string, mode: string, wanted: boolean): Seen {
  const pack = useSession((now) => now.pack) ?? "";
  const revision = useSession((now) => now.revision);
  const [asked, setAsked] = useState(0);
  const [seen, setSeen] = useState<Seen>({ prompt: null, problem: "" });
  useEffect(() => {
    const again = () => setAsked((times) => times + 1);
    window.addEventListener("focus", again);
    return () => window.removeEventListener("focus", again);
  }, []);
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    promptOf(pack, state, mode, stop.signal).then(
      (prompt) => setSeen({ prompt, problem: "" }),
      (error: unknown) => !stop.signal.aborted && setSeen({ prompt: null, problem: sentenceOf(error) }),
    );
    return () => stop.abort();
  }, [pack, revision, state, mode, asked, wanted]);
  return seen;
}

function madeUp(inputs: Record<string, string>): string {
  const names = Object.keys(inputs);
  return names.length > 0 ? `Made up for this: ${names.join(", ")}.` : "";
}
