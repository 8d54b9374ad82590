import { useId } from "react";
import type { RoleBinding } from "./roleBinding";

type Kind = NonNullable<RoleBinding["kind"]>;

const KINDS: readonly (readonly [Kind, string])[] = [
  ["agent", "Agent: the task of a ticket, chat or schedule, as the run was started"],
  ["chat", "Chat: always the task of a chat"],
  ["council", "Council: one voice of several, the task of a chat"],
  ["cron", "Upkeep: always the task of a schedule"],
];

/** The kind of step, by which the role chooses its task template. A gate has its own. */
export function KindField({
  bound,
  change,
}: {
  bound: RoleBinding;
  change: (bound: RoleBinding) => void;
}) {
  const field = useId();
  if (bound.gate) return null;
  return (
    <div className="field">
      <label htmlFor={field}>Kind of step</label>
      <select
        id={field}
        value={bound.kind ?? "agent"}
        onChange={(event) => change({ ...bound, kind: event.target.value as Kind })}
      >
        {KINDS.map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      <div className="help">Chooses the task template that the role sends here.</div>
    </div>
  );
}
