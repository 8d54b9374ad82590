import "./assistant.css";
import { SendHorizontal, Square, Wrench } from "lucide-react";
import { useState } from "react";
import { isFixed, useSession } from "../../session";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { errorMessage } from "../../ui/errorText";
import { FieldLabel } from "../../ui/FieldLabel";
import { useKept } from "../../ui/useKept";
import { isFinished } from "../model/events";
import { ModelFields } from "../start/ModelFields";
import { assistant, draftKey, SCRIPT, useAssistant, type Draft } from "./assistantStore";
import { conversationOf, type Line } from "./conversation";

const EMPTY: Draft = { request: "", about: "" };

/** The assistant: a request, and the conversation of its run. `review` shows a proposal. */
export function AssistantView({ review }: { review: (proposal: number) => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const prepared = useAssistant((state) => state.prepared);
  return (
    <div className="assistant">
      <Composer key={`${pack} ${prepared}`} pack={pack} />
      <Answer review={review} />
    </div>
  );
}

function Composer({ pack }: { pack: string }) {
  const fixed = useSession(isFixed);
  const [draft, setDraft, drop, show] = useKept(draftKey(pack), "Request", () => EMPTY);
  const [choice, setChoice] = useState({ connection: "", model: "" });
  const [error, setError] = useState<unknown>(null);
  const isBusy = useAssistant(({ run, status }) => run !== null && !isFinished(status));
  const script = choice.connection === SCRIPT;
  const send = async () => {
    setError(null);
    try {
      await assistant.ask(draft, choice);
      drop();
      show(EMPTY);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <form
      className="assistant-composer"
      aria-label="Request to the assistant"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error !== null && <ErrorNotice {...errorMessage(error)} />}
      <FieldLabel label="Request" help="It reads this pack and proposes edits. You decide.">
        <textarea
          className="input"
          rows={3}
          maxLength={20_000}
          value={draft.request}
          onChange={(event) => setDraft({ ...draft, request: event.target.value })}
        />
      </FieldLabel>
      {draft.about && (
        <p className="help">
          With the data: {draft.about.slice(0, 300)}{" "}
          <Button kind="link" onClick={() => setDraft({ ...draft, about: "" })}>
            Remove
          </Button>
        </p>
      )}
      <Button
        type="submit"
        kind="primary small"
        disabled={fixed || isBusy || draft.request.trim() === ""}
      >
        <SendHorizontal className="icon" aria-hidden /> Send
      </Button>
      <label className="row small">
        <input
          type="checkbox"
          checked={script}
          onChange={(event) =>
            setChoice({ connection: event.target.checked ? SCRIPT : "", model: "" })
          }
        />
        Without a model: propose the first fix
      </label>
      {!script && (
        <ModelFields
          {...choice}
          blank="Default connection"
          change={(more) => setChoice({ ...choice, ...more })}
        />
      )}
    </form>
  );
}

function Answer({ review }: { review: (proposal: number) => void }) {
  const { run, status } = useAssistant((state) => state);
  const { lines, cost, tokens, proposal } = conversationOf(useAssistant((state) => state.events));
  if (run === null)
    return (
      <p className="pane-note">
        The assistant changes nothing. Its proposals are shown with their consequences.
      </p>
    );
  const isBusy = !isFinished(status);
  return (
    <section aria-label="Answer of the assistant" data-assistant-status={status}>
      <div className="row tight">
        <span className="badge">{isBusy ? "working" : status.replace("_", " ")}</span>
        <span className="small muted" data-assistant-cost>
          {tokens.toLocaleString("en")} tokens, ${cost.toFixed(4)}
        </span>
        <a className="small" href={`/runs/${run}/`}>
          Open the run
        </a>
        <span className="spacer" />
        {isBusy && (
          <Button kind="small" onClick={() => void assistant.stop()}>
            <Square className="icon" aria-hidden /> Stop
          </Button>
        )}
        {proposal !== null && (
          <Button kind="primary small" onClick={() => review(proposal)}>
            Review the proposal
          </Button>
        )}
      </div>
      <ol className="plain" role="log" aria-label="Conversation">
        {lines.map((line) => (
          <LineView key={line.n} line={line} />
        ))}
      </ol>
    </section>
  );
}

function LineView({ line }: { line: Line }) {
  if (line.kind === "call")
    return (
      <li className="small muted" data-assistant-call={line.tool}>
        <Wrench className="icon" aria-hidden /> <b translate="no">{line.tool}</b> {line.result}
      </li>
    );
  return <li className={line.kind === "problem" ? "level-error" : undefined}>{line.text}</li>;
}
