import { Hand } from "lucide-react";
import { useEffect, useState } from "react";
import { sentenceOf } from "../lib/sentence";
import { runs, session, type Json, type Pending, type Signal } from "../session";
import { Code } from "../theme/parts/Code";
import { answers, startOf, type Answer } from "./answers";
import type { RunView } from "./fold";
import { shownRun, useShownRun } from "./shown";

/** What a person can answer now: approvals, events, and with the manual driver the model's own turn. */
export function PendingPanel() {
  const id = useShownRun((shown) => shown.id);
  const open = useShownRun((shown) => forSomebody(shown.head));
  const status = useShownRun((shown) => shown.status);
  const [pending, setPending] = useState<Pending[]>([]);
  useEffect(() => {
    if (id === null || !open) return setPending([]);
    let wanted = true;
    runs.pending(id).then((found) => wanted && setPending(found), session.notifyError);
    return () => {
      wanted = false;
    };
  }, [id, open, status]);
  const shown = pending.filter((one) => open.split(" ").includes(one.key));
  if (shown.length === 0) return null;
  return (
    <section className="pending" aria-label="Waiting for you">
      {shown.map((one) => (
        <Question key={one.key} pending={one} />
      ))}
    </section>
  );
}

/** The keys that wait for a person or an event; what a driver or worker is busy with is not asked. */
function forSomebody(view: RunView): string {
  const open = Object.values(view.waiting).filter((one) => one.for === "person" || one.for === "event");
  return open.map((one) => one.key).join(" ");
}

function Question({ pending }: { pending: Pending }) {
  const ways = answers(pending);
  const [writing, setWriting] = useState(ways.choices.length === 0);
  const asksModel = pending.effect === "AskModel";
  return (
    <article className="question">
      <header className="row wrap">
        <Hand className="icon level-warning" aria-hidden />
        <h3>{asksModel ? "Answer as the model" : "Waiting for you"}</h3>
        <button type="button" className="button link mono" onClick={() => session.focus(`state:${pending.state ?? ""}`)}>
          {pending.state}
        </button>
        {ways.choices.map((choice) => (
          <AnswerButton key={choice.label} answer={choice} />
        ))}
        {ways.form && ways.choices.length > 0 && (
          <button type="button" className="button quiet" aria-expanded={writing} onClick={() => setWriting(!writing)}>
            Write the answer
          </button>
        )}
        <a className="button quiet all-approvals" href="/approvals/" title="Everything that runs wait for, with what can be edited">
          All approvals
        </a>
      </header>
      {ways.question && <p className="prose">{ways.question}</p>}
      {ways.command && <pre className="command">{ways.command}</pre>}
      {ways.prompt && !writing && (
        <details className="asked-prompt">
          <summary>The prompt</summary>
          <pre tabIndex={0}>{ways.prompt}</pre>
        </details>
      )}
      {ways.form && writing && (
        <div className={ways.prompt ? "side-by-side" : undefined}>
          {ways.prompt && (
            <pre className="asked-text" aria-label="The prompt" tabIndex={0}>
              {ways.prompt}
            </pre>
          )}
          <AnswerForm key={pending.key} pending={pending} schema={ways.schema} />
        </div>
      )}
    </article>
  );
}

function AnswerButton({ answer }: { answer: Answer }) {
  return (
    <button
      type="button"
      className={`button ${answer.main ? "primary" : ""} ${answer.grave ? "danger" : ""}`}
      onClick={() => void shownRun.signal(answer.signal)}
    >
      {answer.label}
    </button>
  );
}

/** Free text, or JSON that starts as the emptiest answer the schema allows. */
function AnswerForm({ pending, schema }: { pending: Pending; schema: Json | undefined }) {
  const [start] = useState(() => (schema ? JSON.stringify(startOf(pending, schema), null, 2) : ""));
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState("");
  const send = () => {
    const signal = written(pending, text, schema !== undefined);
    if (typeof signal === "string") return setProblem(signal);
    setProblem("");
    void shownRun.signal(signal);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Code
        label={schema ? "Structured answer" : "Answer"}
        value={start}
        language={schema ? "json" : "markdown"}
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
          Send the answer
        </button>
      </div>
    </form>
  );
}

/** The signal for a written answer, or the sentence that says what is wrong with it. */
function written(pending: Pending, text: string, structured: boolean): Signal | string {
  const { key } = pending;
  const type = pending.effect === "AskModel" ? ("Reply" as const) : ("Approve" as const);
  if (!structured) return text.trim() ? { type, key, text } : "Write something first.";
  try {
    return { type, key, structured: JSON.parse(text) as Json };
  } catch (error) {
    return `This is not JSON: ${sentenceOf(error)}`;
  }
}
