import type { ReactNode } from "react";
import { shortValue, type Tone } from "../log/eventLine";
import type { ToolCall } from "./agentEntries";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

/** A tool call and its result. Opens to show arguments, error and output in full. */
export function CallRow({
  call,
  icon,
  pending = false,
  person,
}: {
  call: ToolCall;
  icon?: ReactNode;
  pending?: boolean;
  /** A person's answer in place of a call, as "denied by ada". */
  person?: { words: string; tone: Tone } | undefined;
}) {
  const fine = call.ok || pending || person !== undefined;
  return (
    <details className={fine ? "call-row" : "call-row bad"} data-call={call.tool}>
      <summary className="bare">
        {icon}
        <Mono>{call.tool}</Mono>
        <span className="small muted truncate">
          {fine && !(person && call.error) ? shortValue(call.args) : call.error}
        </span>
        {person ? (
          <span className={`badge ${person.tone === "wait" ? "waiting" : "ok"}`}>
            {person.words}
          </span>
        ) : pending ? (
          <span className="badge">no result yet</span>
        ) : (
          <span className={call.ok ? "badge ok" : "badge failed"}>
            {call.ok ? "done" : "failed"}
          </span>
        )}
      </summary>
      <h4>Arguments</h4>
      <Pre tabIndex={0}>{JSON.stringify(call.args, null, 2)}</Pre>
      {call.error && !pending && (
        <>
          <h4>{person ? "Reason" : "Error"}</h4>
          <Pre tabIndex={0}>{call.error}</Pre>
        </>
      )}
      {call.output && (
        <>
          <h4>Result</h4>
          <Pre tabIndex={0}>{call.output}</Pre>
        </>
      )}
    </details>
  );
}
