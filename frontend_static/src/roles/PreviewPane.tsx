import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Disclosure } from "../ui/Disclosure";
import { variablesWithValue, usedVariables, valueText, type EnteredValues } from "./sampleValues";
import type { PreviewState } from "./usePreview";
import { namesWithoutValue } from "./problems";
import { useRole } from "./roleStore";
import { textFieldAt, type Preview } from "./promptConfig";
import { Check } from "../ui/Check";
import { Button } from "../ui/Button";
import { Pre } from "../ui/Pre";

/** From the server: the choices of a preview, and the task for each kind and trigger. */
export interface Choices {
  id: number;
  kinds: readonly string[];
  triggers: readonly string[];
  tasks: Readonly<Record<string, Readonly<Record<string, string>>>>;
  modes: readonly { id: number; name: string }[];
}

export interface Step {
  kind: string;
  trigger: string;
  mode: number | null;
}

interface Props {
  choices: Choices;
  step: Step;
  onStep: (step: Step) => void;
  task: string;
  written: EnteredValues;
  onWritten: (written: EnteredValues) => void;
  previewState: PreviewState;
}

/** Scroll to the message that contains this text of the role. */
export function showMessage(which: "system" | "developer" | "user"): void {
  requestAnimationFrame(() => {
    const messageElement = (id: string) => document.querySelector(`[data-message=${id}]`);
    (messageElement(which) ?? messageElement("system"))?.scrollIntoView({ block: "start" });
  });
}

const TRIGGERS: Readonly<Record<string, string>> = {
  ticket: "a ticket",
  webhook: "a webhook",
  cron: "a schedule",
  chat: "a chat",
};

/** Exactly what would be sent for such a step, with sample values. */
export function PreviewPane(props: Props) {
  const { choices, step, onStep, previewState } = props;
  const [one, setOne] = useState(false);
  const { preview, refused, waiting } = previewState;
  return (
    <section className="role-preview" aria-label="Preview" aria-busy={waiting}>
      <div className="preview-top">
        <div className="preview-head">
          <h2>Preview</h2>
          <label>
            <span>Step</span>
            <select
              className="input"
              value={step.kind}
              onChange={(event) => onStep({ ...step, kind: event.target.value })}
            >
              {choices.kinds.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label>
            <span>started by</span>
            <select
              className="input"
              value={step.trigger}
              onChange={(event) => onStep({ ...step, trigger: event.target.value })}
            >
              {choices.triggers.map((trigger) => (
                <option key={trigger} value={trigger}>
                  {TRIGGERS[trigger] ?? trigger}
                </option>
              ))}
            </select>
          </label>
          {choices.modes.length > 0 && (
            <label>
              <span>in mode</span>
              <select
                className="input"
                value={step.mode ?? ""}
                onChange={(event) =>
                  onStep({
                    ...step,
                    mode: event.target.value === "" ? null : Number(event.target.value),
                  })
                }
              >
                <option value="">None</option>
                {choices.modes.map((mode) => (
                  <option key={mode.id} value={mode.id}>
                    {mode.name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Check on={one} set={setOne}>
            As one system message
          </Check>
        </div>
        <ChosenTemplate preview={preview} waiting={waiting} />
      </div>
      {refused && (
        <p className="notice error" role="alert" data-refused>
          <span>
            <b>This cannot be sent.</b> {refused}{" "}
            {preview && "The last valid preview is shown below."}
          </span>
        </p>
      )}
      <SampleValues {...props} />
      {preview && <EmptyNames preview={preview} />}
      <div className={refused ? "messages stale" : "messages"}>
        {preview && <Messages preview={preview} one={one} />}
      </div>
    </section>
  );
}

function ChosenTemplate({ preview, waiting }: { preview: Preview | null; waiting: boolean }) {
  if (!preview) return waiting ? <p className="help">Loading…</p> : null;
  const title = textFieldAt(`/templates/${preview.template}`)?.title ?? "";
  return (
    <p
      className="chosen-template"
      data-template={preview.template}
      data-fallback={preview.fallback}
    >
      <span>
        Task <b>{title}</b> <code translate="no">{preview.template}</code>
      </span>
      {preview.fallback && (
        <span className="badge warning">fallback: there is no task for a schedule</span>
      )}
      <span className="muted" title="A model counts by its own vocabulary">
        about {preview.tokens.total.toLocaleString()} tokens
      </span>
    </p>
  );
}

/** Names without a value in this step, such as the ticket in a step without one. */
function EmptyNames({ preview }: { preview: Preview }) {
  const names = namesWithoutValue(preview).map(
    (one) => /`([^`]+)`/.exec(one.message)?.[1] ?? one.message,
  );
  if (names.length === 0) return null;
  return (
    <p className="help" data-empty-here={names.length}>
      <span className="level-warning">Without a value in this step:</span>{" "}
      {[...new Set(names)].join(", ")}. They are empty.
    </p>
  );
}

function Messages({ preview, one }: { preview: Preview; one: boolean }) {
  const { tokens } = preview;
  const parts = one
    ? [
        {
          id: "system",
          title: "System",
          text: preview.system_and_developer,
          tokens: tokens.system + tokens.developer,
        },
      ]
    : [
        { id: "system", title: "System", text: preview.system, tokens: tokens.system },
        { id: "developer", title: "Developer", text: preview.developer, tokens: tokens.developer },
      ];
  return [...parts, { id: "user", title: "User", text: preview.user, tokens: tokens.user }].map(
    (part) => (
      <section
        key={part.id}
        className="message"
        aria-label={`${part.title} message`}
        data-message={part.id}
      >
        <h3>
          {part.title} <span className="muted">about {part.tokens.toLocaleString()} tokens</span>
        </h3>
        {part.text.trim() ? (
          <Pre tabIndex={0}>{part.text}</Pre>
        ) : (
          <p className="help">Nothing is sent here.</p>
        )}
      </section>
    ),
  );
}

/** Sample values in place of a real ticket, chat or gate. */
function SampleValues({ task, written, onWritten, previewState }: Props) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const variables = useRole((state) => state.variables);
  const config = useRole((state) => state.draft!.config);
  const allVariables = variablesWithValue(variables, task);
  const usedNow = usedVariables(allVariables, config, task, previewState.preview?.template ?? task);
  const offered = all ? allVariables : usedNow;
  const changed = allVariables.some((one) => one.name in written);
  const title = `Sample values · ${usedNow.length} used here${changed ? " · changed" : ""}`;
  const reset = (
    <Button kind="quiet small" onClick={() => onWritten({})}>
      <RotateCcw className="icon" aria-hidden /> Back to the usual
    </Button>
  );
  return (
    <Disclosure
      className="sample"
      title={title}
      open={open}
      onToggle={setOpen}
      aside={changed && reset}
    >
      <div className="sample-values">
        {offered.map((one) => (
          <label key={one.name} title={one.about}>
            <code translate="no">{one.name}</code>
            <textarea
              className="input"
              rows={1}
              aria-label={one.name}
              value={written[one.name] ?? valueText(one.example)}
              onChange={(event) => onWritten({ ...written, [one.name]: event.target.value })}
            />
          </label>
        ))}
      </div>
      <Check on={all} set={setAll}>
        All {allVariables.length} that have a value in this kind of work
      </Check>
    </Disclosure>
  );
}
