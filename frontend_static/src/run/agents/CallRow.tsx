import type { ReactNode } from "react";
import { shortValue } from "../log/eventLine";
import type { ToolCall } from "./agentEntries";

/** A tool call and its result. Opens to show arguments, error and output in full. */
export function CallRow({ call, icon }: { call: ToolCall; icon?: ReactNode }) {
  return (
    <details className={call.ok ? "call-row" : "call-row bad"} data-call={call.tool}>
      <summary>
        {icon}
        <span className="mono">{call.tool}</span>
        <span className="small muted truncate">{call.ok ? shortValue(call.args) : call.error}</span>
        <span className={call.ok ? "badge ok" : "badge failed"}>{call.ok ? "done" : "failed"}</span>
      </summary>
      <h4>Arguments</h4>
      <pre tabIndex={0}>{JSON.stringify(call.args, null, 2)}</pre>
      {call.error && (
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
