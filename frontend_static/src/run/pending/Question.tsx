import { Hand } from "lucide-react";
import { useState } from "react";
import { errorText } from "../../ui/errorText";
import { session, type Json, type Pending, type Signal } from "../../session";
import { Code } from "../../ui/code/Code";
import { answerOptions, initialAnswer, type Answer } from "./answerOptions";
import { AnswerFieldsForm } from "./AnswerFieldsForm";
import { runStore } from "../model/runStore";

type OpenForm = "" | "answer" | "arguments" | "reason";

/**
 * One question with all ways to answer it. `here`: it is shown at its state, so the state is not
 * named.
 */
export function Question({ pending, here = false }: { pending: Pending; here?: boolean }) {
  const options = answerOptions(pending);
  const [writing, setWriting] = useState<OpenForm>(options.choices.length === 0 ? "answer" : "");
  const toggle = (what: OpenForm) => setWriting(writing === what ? "" : what);
  const asksModel = pending.effect === "AskModel";
  return (
    <article className="question">
      <header className="row wrap">
        <Hand className="icon level-warning" aria-hidden />
        <h3>{asksModel ? "Answer as the model" : "Waiting for you"}</h3>
        {!here && (
          <button
            type="button"
            className="button link mono"
            onClick={() => session.focus(`state:${pending.state ?? ""}`)}
          >
            {pending.state}
          </button>
        )}
        {options.choices.map((choice) => (
          <AnswerButton key={choice.label} answer={choice} />
        ))}
        {options.call && (
          <>
            <ToggleButton
              label="Refuse with a reason"
              open={writing === "reason"}
              toggle={() => toggle("reason")}
            />
            <ToggleButton
              label="Change the arguments"
              open={writing === "arguments"}
              toggle={() => toggle("arguments")}
            />
          </>
        )}
        {options.form && options.choices.length > 0 && (
          <ToggleButton
            label="Write the answer"
            open={writing === "answer"}
            toggle={() => toggle("answer")}
          />
        )}
        {!here && (
          <a
            className="button quiet all-approvals"
            href="/approvals/"
            title="All open approvals, with their editable parts"
          >
            All approvals
          </a>
        )}
      </header>
      {options.question && <p className="prose">{options.question}</p>}
      {options.call && writing === "reason" && <ReasonForm pending={pending} />}
      {options.call && writing === "arguments" ? (
        <ArgumentsForm pending={pending} start={options.call.arguments} />
      ) : (
        options.command && <pre className="command">{options.command}</pre>
      )}
      {options.prompt && writing !== "answer" && (
        <details className="prompt-details">
          <summary>The prompt</summary>
          <pre tabIndex={0}>{options.prompt}</pre>
        </details>
      )}
      {options.form && writing === "answer" && (
        <div className={options.prompt ? "side-by-side" : undefined}>
          {options.prompt && (
            <pre className="prompt-text" aria-label="The prompt" tabIndex={0}>
              {options.prompt}
            </pre>
          )}
          {options.fields ? (
            <AnswerFieldsForm
              key={pending.key}
              fields={options.fields}
              send={(structured) => sendApproval(pending, { structured })}
            />
          ) : (
            <AnswerForm key={pending.key} pending={pending} schema={options.schema} />
          )}
        </div>
      )}
    </article>
  );
}

const sendApproval = (pending: Pending, fields: Partial<Signal>) =>
  void runStore.signal({ type: "Approve", key: pending.key, ...fields });

function ToggleButton({
  label,
  open,
  toggle,
}: {
  label: string;
  open: boolean;
  toggle: () => void;
}) {
  return (
    <button type="button" className="button quiet" aria-expanded={open} onClick={toggle}>
      {label}
    </button>
  );
}

/** Refuse with a reason, which the requester receives. */
function ReasonForm({ pending }: { pending: Pending }) {
  const [text, setText] = useState("");
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        sendApproval(pending, { approve: false, text: text.trim() });
      }}
    >
      <input
        className="input grow"
        aria-label="Reason"
        placeholder="Reason, sent to the run"
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button danger">
        Deny with a reason
      </button>
    </form>
  );
}

/** Approve the call with other arguments. */
function ArgumentsForm({ pending, start }: { pending: Pending; start: Json }) {
  const [written] = useState(() => JSON.stringify(start, null, 2));
  const send = (text: string): string => {
    const value = parseJson(text);
    if (typeof value === "string") return value;
    if (value.json === null || typeof value.json !== "object" || Array.isArray(value.json))
      return "Arguments are a JSON object.";
    sendApproval(pending, { approve: true, structured: value.json });
    return "";
  };
  return (
    <TextAnswerForm
      label="Arguments of the call"
      start={written}
      language="json"
      button="Approve with these arguments"
      send={send}
    />
  );
}

function AnswerButton({ answer }: { answer: Answer }) {
  return (
    <button
      type="button"
      className={`button ${answer.main ? "primary" : ""} ${answer.grave ? "danger" : ""}`}
      onClick={() => void runStore.signal(answer.signal)}
    >
      {answer.label}
    </button>
  );
}

/** A free text, or JSON that starts as the minimal answer that the schema allows. */
function AnswerForm({ pending, schema }: { pending: Pending; schema: Json | undefined }) {
  const [start] = useState(() =>
    schema ? JSON.stringify(initialAnswer(pending, schema), null, 2) : "",
  );
  const send = (text: string): string => {
    const signal = signalOf(pending, text, schema !== undefined);
    if (typeof signal === "string") return signal;
    void runStore.signal(signal);
    return "";
  };
  return (
    <TextAnswerForm
      label={schema ? "Structured answer" : "Answer"}
      start={start}
      language={schema ? "json" : "markdown"}
      button="Send the answer"
      send={send}
    />
  );
}

interface TextAnswerFormProps {
  label: string;
  start: string;
  language: "json" | "markdown";
  button: string;
  /** Send the text. Returns an error message, or "". */
  send: (text: string) => string;
}

function TextAnswerForm({ label, start, language, button, send }: TextAnswerFormProps) {
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setProblem(send(text));
      }}
    >
      <Code
        label={label}
        value={start}
        language={language}
        placeholder="Write the answer…"
        onChange={setText}
      />
      {problem && (
        <div className="problem" role="alert">
          {problem}
        </div>
      )}
      <div className="row end">
        <button type="submit" className="button primary">
          {button}
        </button>
      </div>
    </form>
  );
}

/** The signal for a written answer, or an error message. */
function signalOf(pending: Pending, text: string, structured: boolean): Signal | string {
  const { key } = pending;
  const type = pending.effect === "AskModel" ? ("Reply" as const) : ("Approve" as const);
  if (!structured) return text.trim() ? { type, key, text } : "Write something first.";
  const value = parseJson(text);
  return typeof value === "string" ? value : { type, key, structured: value.json };
}

function parseJson(text: string): { json: Json } | string {
  try {
    return { json: JSON.parse(text) as Json };
  } catch (error) {
    return `This is not JSON: ${errorText(error)}`;
  }
}
