import { isFinished, text, type RunEvent } from "../model/events";
import { runStore, useRunLog, useRunStore } from "../model/runStore";
import { exact } from "../../ui/formatTime";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";

/** The tools that a person allowed for the rest of the run. */
export function AllowedTools() {
  const log = useRunLog();
  const ended = useRunStore((state) => isFinished(state.head.status));
  const tools = allowedTools(log);
  if (tools.length === 0) return null;
  return (
    <section aria-label="Tools allowed for the rest of this run">
      <h3>Tools allowed for the rest of this run</h3>
      {tools.map((event) => {
        const name = text(event, "name");
        return (
          <p key={name} className="row wrap" data-allowed-tool={name}>
            <span>
              <Mono>{name}</Mono>, allowed by {text(event, "by") || "the operator"},{" "}
              {exact(event.at * 1000)}
            </span>
            {!ended && (
              <Button
                kind="small"
                aria-label={`Revoke ${name}`}
                onClick={() => void runStore.signal({ type: "revoke", tool: name })}
              >
                Revoke
              </Button>
            )}
          </p>
        );
      })}
    </section>
  );
}

/** The events that still allow a tool. A fork begins without permissions of its origin. */
export function allowedTools(log: readonly RunEvent[]): RunEvent[] {
  const origin = log[0]?.forked_from as { at?: number } | undefined;
  const allowed = new Map<string, RunEvent>();
  for (const event of log) {
    if (event.type === "tool.allowed") allowed.set(text(event, "name"), event);
    if (event.type === "tool.revoked") allowed.delete(text(event, "name"));
  }
  return [...allowed.values()].filter((event) => event.n > (origin?.at ?? 0));
}
