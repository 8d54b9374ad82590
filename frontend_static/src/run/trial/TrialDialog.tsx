import { Send } from "lucide-react";
import { useId, useState } from "react";
import { errorMessage, runs, type ErrorMessage, type Trial } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import type { ModelCall } from "../inspector/modelCalls";
import { text } from "../model/events";
import { ModelFields } from "../start/ModelFields";
import { changeCount, recordedFields, trialBody, type TrialFields } from "./trialChanges";
import { TrialAnswer } from "./TrialAnswer";
import "./trial.css";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";
import { FieldLabel } from "../../ui/FieldLabel";

/** Sends a recorded request again with changes. The run stays as it is. */
export function TrialDialog({
  run,
  call,
  close,
}: {
  run: string;
  call: ModelCall;
  close: () => void;
}) {
  const [was] = useState(() => recordedFields(call.asked.effect));
  const [now, setNow, drop] = useKept(`run ${run} trial ${call.n}`, "Request", () => was);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [trial, setTrial] = useState<Trial | null>(null);
  const set = (patch: Partial<TrialFields>) => setNow((before) => ({ ...before, ...patch }));
  const body = trialBody(call.n, was, now);
  const changes = typeof body === "string" ? 0 : changeCount(body);

  const send = async () => {
    if (busy) return;
    if (typeof body === "string") return setProblem({ message: body, hint: "" });
    setBusy(true);
    setProblem(null);
    try {
      setTrial(await runs.trial(run, body));
      drop();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={`Send request ${call.n} again`}
      wide
      onClose={close}
      onSubmit={() => void send()}
      footer={
        <>
          <span className="help start">
            {changes === 0 ? "No changes" : changes === 1 ? "1 change" : `${changes} changes`}
          </span>
          <Button onClick={close}>Close</Button>
          <Button type="submit" kind="primary" disabled={busy}>
            <Send className="icon" aria-hidden /> {busy ? "Waiting for the answer…" : "Send"}
          </Button>
        </>
      }
    >
      <p className="help">
        A trial: the answer is shown here and nowhere else. The run stays as it is, no tool is
        called, and the cost is not part of the run&rsquo;s.
      </p>
      {problem && <ErrorNotice {...problem} />}
      {trial && <TrialAnswer trial={trial} recorded={text(call.reply ?? call.asked, "text")} />}
      <ModelFields
        connection={now.connection}
        model={now.model}
        change={set}
        blank="as in the run"
      />
      <div className="columns">
        <NumberText
          label="Temperature"
          value={now.temperature}
          change={(temperature) => set({ temperature })}
        />
        <NumberText
          label="Maximum of tokens"
          value={now.maxTokens}
          change={(maxTokens) => set({ maxTokens })}
        />
      </div>
      <LongText label="System" value={now.system} change={(system) => set({ system })} />
      {(was.developer || now.developer) && (
        <LongText
          label="Developer"
          value={now.developer}
          change={(developer) => set({ developer })}
        />
      )}
      {now.messages.map((message, position) => (
        <LongText
          key={position}
          label={`Message ${position + 1}: ${message.role}`}
          value={message.text}
          change={(typed) =>
            set({
              messages: now.messages.map((one, index) =>
                index === position ? { ...one, text: typed } : one,
              ),
            })
          }
        />
      ))}
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
}

function NumberText({ label, value, change }: FieldProps) {
  return (
    <FieldLabel label={label}>
      <input
        className="input"
        inputMode="decimal"
        value={value}
        placeholder="the provider's default"
        onChange={(event) => change(event.target.value)}
      />
    </FieldLabel>
  );
}

function LongText({ label, value, change }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className="input mono trial-text"
        rows={Math.min(12, Math.max(2, value.split("\n").length))}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
}
