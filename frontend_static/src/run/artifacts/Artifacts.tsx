import { Package } from "lucide-react";
import { useMemo } from "react";
import { shortValue } from "../log/eventLine";
import { text } from "../model/events";
import { runStore, useRunLog, useRunStore } from "../model/runStore";
import { promptTurns, type PromptTurn } from "./promptTurns";
import { focusState } from "../model/focusState";
import { Hash } from "./Hash";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Pre } from "../../ui/Pre";

/** The run's artifacts as of the shown event, and every logged prompt. */
export function Artifacts() {
  const artifacts = useRunStore((state) => state.view.artifacts);
  const log = useRunLog();
  const at = useRunStore((state) => state.at);
  const turns = useMemo(() => promptTurns(log), [log]);
  const prompts = turns.filter((turn) => turn.event.n <= (at ?? log.length));
  const names = Object.keys(artifacts);
  if (names.length + prompts.length === 0)
    return (
      <Empty Icon={Package} title="Nothing kept yet">
        Plans, decisions and other named values appear here when a state writes them.
      </Empty>
    );
  return (
    <div className="scroll">
      <table className="table dense top">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kind</th>
            <th>Value</th>
            <th>Written by</th>
            <th className="number">Event</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const { value, state, n, writes } = artifacts[name]!;
            return (
              <tr key={name}>
                <td className="mono" translate="no">
                  {name} {writes > 1 && <span className="badge">×{writes}</span>}
                </td>
                <td className="muted">value</td>
                <td>
                  <Pre className="artifact">
                    {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
                  </Pre>
                </td>
                <td>
                  <Button kind="link mono" translate="no" onClick={() => focusState(state)}>
                    {state}
                  </Button>
                </td>
                <td className="number">
                  <Button kind="link mono" translate="no" onClick={() => runStore.seek(n)}>
                    {n}
                  </Button>
                </td>
              </tr>
            );
          })}
          {prompts.map((turn) => (
            <LoggedPrompt key={turn.event.n} turn={turn} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A logged prompt. Its event is the only copy. */
function LoggedPrompt({ turn: { event, number } }: { turn: PromptTurn }) {
  const state = text(event, "state");
  return (
    <tr data-artifact="prompt">
      <td className="mono" translate="no">
        {state}/turn-{number}
      </td>
      <td>prompt {text(event, "kind") && <span className="badge">{text(event, "kind")}</span>}</td>
      <td>
        <Hash hash={text(event, "hash")} of={`the prompt of event ${event.n}`} />
        <details>
          <summary>{shortValue(event.text)}</summary>
          <Pre className="artifact">{text(event, "text")}</Pre>
        </details>
      </td>
      <td>
        <Button kind="link mono" translate="no" onClick={() => focusState(state)}>
          {state}
        </Button>
      </td>
      <td className="number">
        <Button kind="link mono" translate="no" onClick={() => runStore.seek(event.n)}>
          {event.n}
        </Button>
      </td>
    </tr>
  );
}
