import { useMemo } from "react";
import type { RunEvent } from "../model/events";
import { runStore, useRunStore } from "../model/runStore";
import { callUsage } from "./agentEntries";
import { Button } from "../../ui/Button";

/** The usage of an agent's model calls: totals, shares of the run, and each call. */
export function Usage({ node, events }: { node: string; events: readonly RunEvent[] }) {
  const spent = useMemo(() => callUsage(events, node), [events, node]);
  const run = useRunStore((state) => state.view);
  const sum = (field: "input" | "output" | "cost") =>
    spent.reduce((all, one) => all + one[field], 0);
  const tokens = sum("input") + sum("output");
  const runTokens = run.inputTokens + run.outputTokens;
  return (
    <div className="scroll node-list">
      <dl className="usage">
        <Figure
          title="Model calls"
          value={String(spent.length)}
          of={run.modelCalls ? spent.length / run.modelCalls : 0}
        />
        <Figure
          title="Tokens in"
          value={sum("input").toLocaleString("en")}
          of={run.inputTokens ? sum("input") / run.inputTokens : 0}
        />
        <Figure
          title="Tokens out"
          value={sum("output").toLocaleString("en")}
          of={run.outputTokens ? sum("output") / run.outputTokens : 0}
        />
        <Figure
          title="Cost"
          value={`${sum("cost").toFixed(4)} $`}
          of={run.cost ? sum("cost") / run.cost : 0}
        />
      </dl>
      {runTokens > 0 && tokens === 0 && (
        <p className="help">All tokens so far were used by other agents.</p>
      )}
      {runTokens === 0 && (
        <p className="help">
          This run reports no tokens: a script, a rehearsal or a person answers.
        </p>
      )}
      {spent.length > 0 && (
        <table className="table dense">
          <thead>
            <tr>
              <th className="number">Event</th>
              <th>Model</th>
              <th className="number">In</th>
              <th className="number">Out</th>
              <th className="number">$</th>
            </tr>
          </thead>
          <tbody>
            {spent.slice(-200).map((one) => (
              <tr key={one.n}>
                <td className="number">
                  <Button kind="link mono" translate="no" onClick={() => runStore.seek(one.n)}>
                    {one.n}
                  </Button>
                </td>
                <td className="truncate">{one.model || "—"}</td>
                <td className="number">{one.input}</td>
                <td className="number">{one.output}</td>
                <td className="number">{one.cost.toFixed(4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Figure({ title, value, of }: { title: string; value: string; of: number }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {value} {of > 0 && <span className="muted small">{Math.round(of * 100)} % of the run</span>}
      </dd>
    </div>
  );
}
