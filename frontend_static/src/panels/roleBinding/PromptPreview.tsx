import { useEffect, useState } from "react";
import { errorText } from "../../ui/errorText";
import { roles, useSession, type StatePrompt } from "../../session";
import { PromptBlocks } from "../../run/artifacts/PromptBlocks";
import { partsOfPromptFields } from "../../run/artifacts/promptTurns";
import { useRequest } from "../../ui/useRequest";
import { FieldLabel } from "../../ui/FieldLabel";
import { Mono } from "../../ui/Mono";
import { Segments } from "../../ui/Segments";

const MODES = [
  { id: "", title: "No mode" },
  { id: "PLANNING", title: "Planning" },
  { id: "IMPLEMENTATION", title: "Implementation" },
] as const;

export interface FetchedPrompt {
  prompt: StatePrompt | null;
  problem: string;
}

/** The start of the run whose prompt is shown. */
export interface PreviewStart {
  mode: string;
  started_by: string;
}

interface Props {
  seen: FetchedPrompt;
  start: PreviewStart;
  choose: (start: PreviewStart) => void;
  /** The state has a role, which chooses its task by the origin of the run. */
  withRole: boolean;
}

const ORIGINS = ["ticket", "chat", "schedule", "webhook"] as const;

/** The prompt that a rehearsal would send in a state, block by block. */
export function PromptPreview({ seen: { prompt, problem }, start, choose, withRole }: Props) {
  return (
    <div className="preview" data-preview={prompt?.prompt?.hash ?? ""}>
      <Segments
        label="Mode that the run would be started in"
        choices={MODES}
        value={start.mode}
        choose={(mode) => choose({ ...start, mode })}
      />
      {withRole && (
        <FieldLabel label="Run started by">
          <select
            value={start.started_by}
            onChange={(event) => choose({ ...start, started_by: event.target.value })}
          >
            {ORIGINS.map((origin) => (
              <option key={origin} value={origin}>
                a {origin}
              </option>
            ))}
          </select>
        </FieldLabel>
      )}
      {prompt?.template && (
        <p className="help" data-template={prompt.template} data-fallback={prompt.fallback}>
          Task: <code translate="no">{prompt.template}</code>
          {prompt.fallback && " (fallback: there is no task for a schedule)"}
        </p>
      )}
      {(problem || prompt?.problem) && <p className="notice hint">{problem || prompt?.problem}</p>}
      {prompt?.warnings.map((warning) => (
        <p key={warning.path + warning.message} className="field-finding level-warning">
          <span>
            <Mono>{warning.path}</Mono> {warning.message}
          </span>
        </p>
      ))}
      {prompt?.prompt && (
        <>
          <PromptBlocks parts={partsOfPromptFields(prompt.prompt)} hash={prompt.prompt.hash} />
          <p className="help">
            About {prompt.tokens.toLocaleString("en")} tokens. {simulatedInputs(prompt.inputs)}
          </p>
        </>
      )}
    </div>
  );
}

/** The prompt of a state, fetched again with every revision and when the page regains focus. */
export function usePrompt(
  state: string,
  { mode, started_by }: PreviewStart,
  enabled: boolean,
): FetchedPrompt {
  const pack = useSession((now) => now.pack) ?? "";
  const revision = useSession((now) => now.revision);
  const [fetchCount, setFetchCount] = useState(0);
  useEffect(() => {
    const refetch = () => setFetchCount((times) => times + 1);
    window.addEventListener("focus", refetch);
    return () => window.removeEventListener("focus", refetch);
  }, []);
  const { value, error } = useRequest(
    enabled ? [pack, revision, state, mode, started_by, fetchCount] : null,
    (signal) => roles.prompt(pack, { state, mode, started_by }, signal),
  );
  return error === null
    ? { prompt: value, problem: "" }
    : { prompt: null, problem: errorText(error) };
}

function simulatedInputs(inputs: Record<string, string>): string {
  const names = Object.keys(inputs);
  return names.length > 0 ? `Simulated values: ${names.join(", ")}.` : "";
}
