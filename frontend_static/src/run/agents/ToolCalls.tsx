import { Wrench } from "lucide-react";
import { useState } from "react";
import { CallRow } from "./CallRow";
import type { Entry } from "./agentEntries";

const SHOWN = 100;

/** Every call that an agent made, newest last, with what became of it. */
export function Tools({ entries }: { entries: readonly Entry[] }) {
  const [most, setMost] = useState(SHOWN);
  const calls = entries.flatMap((entry) => (entry.kind === "call" ? entry.call : []));
  if (calls.length === 0)
    return (
      <div className="empty">
        <Wrench className="icon" aria-hidden />
        <h3>No calls yet</h3>
        <p>Each tool that it calls appears here with arguments and result.</p>
      </div>
    );
  return (
    <div className="scroll node-list">
      {calls.length > most && (
        <button type="button" className="button small" onClick={() => setMost(most + 200)}>
          {calls.length - most} earlier
        </button>
      )}
      {calls.slice(-most).map((call) => (
        <CallRow key={call.n} call={call} />
      ))}
    </div>
  );
}
