import { useSession } from "../../session";
import { Button } from "../../ui/Button";

export type StartedBy = "ticket" | "chat";

const ORIGINS: readonly { id: StartedBy; title: string; help: string }[] = [
  { id: "ticket", title: "Ticket", help: "Roles get their task for a ticket." },
  { id: "chat", title: "Chat", help: "Roles get their task for a chat message." },
];

/** The origin of a run. Offered if the pack has roles, which choose their task template by it. */
export function StartedByField({
  value,
  choose,
}: {
  value: StartedBy;
  choose: (value: StartedBy) => void;
}) {
  const hasRoles = useSession((now) =>
    [...now.fullGraph.states.values()].some((state) => state.bound !== null),
  );
  if (!hasRoles) return null;
  return (
    <div className="field">
      <div className="field-label">Started by</div>
      <div>
        <span className="segments" role="group" aria-label="Origin of the run">
          {ORIGINS.map((one) => (
            <Button
              key={one.id}
              kind="small"
              aria-pressed={one.id === value}
              onClick={() => choose(one.id)}
            >
              {one.title}
            </Button>
          ))}
        </span>
      </div>
      <div className="help">{ORIGINS.find((one) => one.id === value)?.help}</div>
    </div>
  );
}
