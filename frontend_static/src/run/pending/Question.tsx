import { Hand } from "lucide-react";
import { useState } from "react";
import { session, type Approval, type Json, type Pending, type Signal } from "../../session";
import { exact, relative } from "../../ui/formatTime";
import { answerOptions, initialAnswer, type Answer, type AnswerOptions } from "./answerOptions";
import { AnswerFieldsForm } from "./AnswerFieldsForm";
import { CommandResultForm } from "./CommandResultForm";
import { DenyForm, PassForm } from "./QuestionForms";
import { missingText, type Draft } from "./draft";
import { parseJson, TextAnswerForm } from "./TextAnswerForm";
import { ToolCallForm } from "./ToolCallForm";
import { keepTyped, keptTyped } from "../../ui/typedTexts";
import { runStore, useRunStore } from "../model/runStore";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";
import { siteUrl } from "../../ui/siteUrl";

type OpenForm = "" | "answer" | "arguments" | "deny" | "report" | "call" | "pass" | Draft;

interface Props {
  pending: Pending;
  /** The question as the approval queue has it. */
  approval: Approval | undefined;
  pass: (approval: Approval, person: string) => void;
  /** True if it is shown at its state, so that the state is not named. */
  here?: boolean;
}

/** One question with all ways to answer it, in the words of the approval queue. */
export function Question({ pending, approval, pass, here = false }: Props) {
  const options = answerOptions(pending);
  const run = useRunStore((state) => state.id);
  const place = `run ${run} ${pending.key}`;
  const [initial] = useState(() => keptTyped<OpenForm>(`${place} form`) ?? initialForm(options));
  const [writing, showForm] = useState<OpenForm>(initial);
  const setWriting = (form: OpenForm) => {
    showForm(form);
    keepTyped(`${place} form`, form);
  };
  const toggle = (what: OpenForm) => setWriting(writing === what ? initialForm(options) : what);
  // A form that is open at first takes no focus from what the person does meanwhile.
  const opened = writing !== initial;
  const draft = typeof writing === "object" ? writing : null;
  const asksModel = pending.effect === "AskModel";
  return (
    <article className="question">
      <header className="row wrap">
        <Hand className="icon level-warning" aria-hidden />
        <h3>{asksModel ? "Answer as the model" : "Waiting for you"}</h3>
        {!here && (
          <Button
            kind="link mono"
            translate="no"
            onClick={() => session.focus(`state:${pending.state ?? ""}`)}
          >
            {pending.state}
          </Button>
        )}
        {options.choices.map((choice) => (
          <AnswerButton key={choice.label} answer={choice} open={setWriting} />
        ))}
        {options.call && (
          <ToggleButton
            label="Edit…"
            open={writing === "arguments"}
            toggle={() => toggle("arguments")}
          />
        )}
        {options.form && options.choices.length > 0 && (
          <ToggleButton
            label={pending.effect === "CallTool" ? "Write the result…" : "Write…"}
            open={writing === "answer"}
            toggle={() => toggle("answer")}
          />
        )}
        {options.tools.length > 0 && (
          <ToggleButton
            label="Call a tool…"
            open={writing === "call"}
            toggle={() => toggle("call")}
          />
        )}
        {options.report && (
          <ToggleButton
            label="I ran it…"
            open={writing === "report"}
            toggle={() => toggle("report")}
          />
        )}
        {approval && (
          <ToggleButton label="Pass to…" open={writing === "pass"} toggle={() => toggle("pass")} />
        )}
        {options.deny && (
          <ToggleButton
            label={`${options.deny}…`}
            grave
            open={writing === "deny"}
            toggle={() => toggle("deny")}
          />
        )}
        {!here && (
          <a
            className="button quiet all-approvals"
            href={siteUrl("/approvals/")}
            title="All open approvals, with their editable parts"
          >
            All approvals
          </a>
        )}
      </header>
      {options.question && <p className="prose">{options.question}</p>}
      {options.blockedReason && <p className="muted">{options.blockedReason}</p>}
      {approval && <ApprovalLine approval={approval} />}
      {options.deny && writing === "deny" && (
        <DenyForm
          place={`${place} deny`}
          button={options.deny}
          deny={(text) => sendApproval(pending, { approve: false, text })}
        />
      )}
      {approval && writing === "pass" && (
        <PassForm
          place={`${place} pass`}
          passedTo={approval.passed_to}
          pass={(person) => {
            pass(approval, person);
            setWriting(initialForm(options));
          }}
        />
      )}
      {options.call && writing === "arguments" ? (
        <ArgumentsForm pending={pending} place={place} start={options.call.arguments} />
      ) : (
        options.command && <Pre className="command">{options.command}</Pre>
      )}
      {options.report && writing === "report" && (
        <CommandResultForm
          place={`${place} report`}
          send={(structured) => sendApproval(pending, { structured })}
        />
      )}
      {options.tools.length > 0 && (writing === "call" || draft?.kind === "call") && (
        <ToolCallForm
          key={draft?.kind === "call" ? draft.name : ""}
          tools={options.tools}
          place={`${place} call`}
          draft={draft?.kind === "call" ? draft : null}
          send={(call) => sendReply(pending, { tool_calls: [call] })}
        />
      )}
      {draft && draft.kind !== "call" && (
        <DraftForm pending={pending} place={place} draft={draft} />
      )}
      {options.prompt && writing !== "answer" && (
        <details className="prompt-details">
          <summary className="muted small">The prompt</summary>
          <Pre tabIndex={0}>{options.prompt}</Pre>
        </details>
      )}
      {options.form && writing === "answer" && (
        <div className={options.prompt ? "side-by-side" : undefined}>
          {options.prompt && (
            <Pre className="prompt-text" aria-label="The prompt" tabIndex={0}>
              {options.prompt}
            </Pre>
          )}
          {options.fields ? (
            <AnswerFieldsForm
              key={pending.key}
              fields={options.fields}
              place={`${place} answer`}
              autoFocus={opened}
              send={(structured) => sendApproval(pending, { structured })}
            />
          ) : (
            <AnswerForm
              key={pending.key}
              pending={pending}
              place={place}
              schema={options.schema}
              message={options.message}
              autoFocus={opened}
            />
          )}
        </div>
      )}
    </article>
  );
}

/** Send an answer. Resolves with an error message, or "". */
const send = async (signal: Signal): Promise<string> =>
  (await runStore.signal(signal)) ? "" : "Not sent. Your text is kept.";

const sendApproval = (pending: Pending, fields: Partial<Signal>) =>
  send({ type: "Approve", key: pending.key, ...fields });

const sendReply = (pending: Pending, fields: Partial<Signal>) =>
  send({ type: "Reply", key: pending.key, ...fields });

/** The form that is open at first: the one that is needed, if there is no other way to answer. */
function initialForm({ choices, form, report }: AnswerOptions): OpenForm {
  if (choices.length > 0) return "";
  return report ? "report" : form ? "answer" : "";
}

const OUTCOMES: Readonly<Record<string, string>> = {
  approve: "this is approved",
  deny: "this is denied",
  end: "the run ends",
};

/** The person whom the question was passed to, and the answer without one. */
function ApprovalLine({ approval: { passed_to, deadline, outcome } }: { approval: Approval }) {
  if (!passed_to && !deadline) return null;
  const at = deadline ? Date.parse(deadline) : 0;
  return (
    <p className="muted" data-passed-to={passed_to} data-deadline={outcome}>
      {passed_to && `Passed to ${passed_to}. `}
      {deadline && (
        <>
          Without an answer, {OUTCOMES[outcome] ?? "this is denied"}{" "}
          <time dateTime={deadline} title={exact(at)}>
            {relative(at, Date.now())}
          </time>
          .
        </>
      )}
    </p>
  );
}

interface ToggleProps {
  label: string;
  open: boolean;
  toggle: () => void;
  grave?: boolean;
}

function ToggleButton({ label, open, toggle, grave = false }: ToggleProps) {
  return (
    <Button kind={`${grave ? "danger" : "quiet"}`} aria-expanded={open} onClick={toggle}>
      {label}
    </Button>
  );
}

/** Approve the call with other arguments. */
function ArgumentsForm({
  pending,
  place,
  start,
}: {
  pending: Pending;
  place: string;
  start: Json;
}) {
  const [written] = useState(() => JSON.stringify(start, null, 2));
  const answer = (text: string): string | Promise<string> => {
    const value = parseJson(text);
    if (typeof value === "string") return value;
    if (value.json === null || typeof value.json !== "object" || Array.isArray(value.json))
      return "Arguments are a JSON object.";
    return sendApproval(pending, { approve: true, structured: value.json });
  };
  return (
    <TextAnswerForm
      label="Arguments of the call"
      place={`${place} arguments`}
      autoFocus
      start={written}
      language="json"
      button="Approve as edited"
      send={answer}
    />
  );
}

function AnswerButton({ answer, open }: { answer: Answer; open: (draft: Draft) => void }) {
  const { draft } = answer;
  return (
    <Button
      kind={`${answer.main ? "primary" : ""}`}
      onClick={() => (draft ? open(draft) : void runStore.signal(answer.signal))}
    >
      {draft ? `${answer.label}…` : answer.label}
    </Button>
  );
}

/** The rest of an answer whose choice is made. */
function DraftForm({
  pending,
  place,
  draft,
}: {
  pending: Pending;
  place: string;
  draft: Exclude<Draft, { kind: "call" }>;
}) {
  const answer = (text: string): string | Promise<string> => {
    if (draft.kind === "text") {
      if (!text.trim()) return "Write something first.";
      return sendReply(pending, { text });
    }
    const value = parseJson(text);
    if (typeof value === "string") return value;
    const missing = missingText(value.json, draft.texts);
    if (missing) return `Write a text for ${missing}.`;
    return sendReply(pending, { structured: value.json });
  };
  const structured = draft.kind === "structured";
  return (
    <TextAnswerForm
      key={JSON.stringify(draft)}
      place={`${place} ${JSON.stringify(draft)}`}
      label={structured ? "Structured answer" : "Answer"}
      autoFocus
      start={structured ? JSON.stringify(draft.value, null, 2) : ""}
      language={structured ? "json" : "markdown"}
      button="Send the answer"
      send={answer}
    />
  );
}

/** A free text, or JSON that starts as the minimal answer that the schema allows. */
function AnswerForm({
  pending,
  place,
  schema,
  message,
  autoFocus,
}: {
  pending: Pending;
  place: string;
  schema: Json | undefined;
  message: string;
  autoFocus: boolean;
}) {
  const [start] = useState(() =>
    schema ? JSON.stringify(initialAnswer(pending, schema), null, 2) : "",
  );
  const answer = (text: string): string | Promise<string> => {
    if (message) return sendApproval(pending, { approve: true, text: text.trim() });
    const signal = signalOf(pending, text, schema !== undefined);
    return typeof signal === "string" ? signal : send(signal);
  };
  return (
    <TextAnswerForm
      place={`${place} answer`}
      label={message ? "Message" : schema ? "Structured answer" : "Answer"}
      autoFocus={autoFocus}
      start={start}
      language={schema ? "json" : "markdown"}
      button={message || "Send the answer"}
      send={answer}
    />
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
