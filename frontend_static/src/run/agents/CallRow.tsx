import type { ReactNode } from "react";
import { shortValue } from "../log/eventLine";
import type { ToolCall } from "./agentEntries";

/** A tool call and its result. Opens to show arguments, error and output in full. */
export function CallRow({
  call,
  icon,
  pending = false,
}: {
  call: ToolCall;
  icon?: ReactNode;
  pending?: boolean;
}) {
  const fine = call.ok || pending;
  return (
    <details className={fine ? "call-row" : "call-row bad"} data-call={call.tool}>
      <summary>
        {icon}
        <span className="mono">{call.tool}</span>
        <span className="small muted truncate">{fine ? shortValue(call.args) : call.error}</span>
        {pending ? (
          <span className="badge">no result yet</span>
        ) : (
          <span className={call.ok ? "badge ok" : "badge failed"}>
            {call.ok ? "done" : "failed"}
          </span>
        )}
      </summary>
      <h4>Arguments</h4>
      <pre tabIndex={0}>{JSON.stringify(call.args, null, 2)}</pre>
      {call.error && !pending && (
        <>
          <h4>Error</h4>
          <pre tabIndex={0}>{call.error}</pre>
        </>
      )}
      {call.output && (
        <>
          <h4>Result</h4>
          <pre tabIndex={0}>{call.output}</pre>
        </>
      )}
    </details>
  );
}
