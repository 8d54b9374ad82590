import { FlaskConical } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Trial } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import { DiffCounts, TextDiff, useDiff } from "../../ui/TextDiff";
import { CallText } from "../inspector/MessageView";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

/** The answer to a trial, and its difference from the recorded one. */
export function TrialAnswer({ trial, recorded }: { trial: Trial; recorded: string }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    void box.current?.scrollIntoView({ block: "nearest" });
  }, [trial]);
  return (
    <section className="trial-answer" aria-label="Answer to the trial" aria-live="polite" ref={box}>
      <header className="row">
        <span className="badge">
          <FlaskConical className="icon" aria-hidden /> trial
        </span>
        <Mono kind="small">{trial.model}</Mono>
        <span className="small muted">
          {trial.input_tokens.toLocaleString("en")} tokens in,{" "}
          {trial.output_tokens.toLocaleString("en")} out
          {trial.cost > 0 && `, ${costText(trial.cost)}`}, {duration(trial.seconds * 1000)}
        </span>
      </header>
      {trial.error && <p className="notice error">{trial.error}</p>}
      {trial.text && <Pre tabIndex={0}>{trial.text}</Pre>}
      {trial.structured !== null && (
        <Pre tabIndex={0}>{JSON.stringify(trial.structured, null, 2)}</Pre>
      )}
      {trial.tool_calls.map((call, index) => (
        <CallText
          key={call.id || index}
          call={{
            id: call.id,
            name: call.name,
            arguments: call.unread || JSON.stringify(call.arguments, null, 2),
          }}
        />
      ))}
      {recorded && trial.text && recorded !== trial.text && (
        <Difference before={recorded} after={trial.text} />
      )}
      {recorded && recorded === trial.text && (
        <p className="help">The same text as the recorded answer.</p>
      )}
    </section>
  );
}

function Difference({ before, after }: { before: string; after: string }) {
  const diff = useDiff(before, after);
  return (
    <details>
      <summary>
        Difference from the recorded answer <DiffCounts diff={diff} />
      </summary>
      <TextDiff diff={diff} />
    </details>
  );
}
