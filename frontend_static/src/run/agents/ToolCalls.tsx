import { Wrench } from "lucide-react";
import { useState } from "react";
import { CallRow } from "./CallRow";
import type { AgentEntry } from "./agentEntries";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

const INITIAL_CALLS = 100;

/** The tool calls of an agent, newest last. */
export function ToolCalls({ entries }: { entries: readonly AgentEntry[] }) {
  const [maxCalls, setMaxCalls] = useState(INITIAL_CALLS);
  const calls = entries.flatMap((entry) => (entry.kind === "call" ? entry.call : []));
  if (calls.length === 0)
    return (
      <Empty Icon={Wrench} title="No calls yet">
        Each tool that it calls appears here with arguments and result.
      </Empty>
    );
  return (
    <div className="scroll node-list">
      {calls.length > maxCalls && (
        <Button kind="small" onClick={() => setMaxCalls(maxCalls + 200)}>
          {calls.length - maxCalls} earlier
        </Button>
      )}
      {calls.slice(-maxCalls).map((call) => (
        <CallRow key={call.n} call={call} />
      ))}
    </div>
  );
}
