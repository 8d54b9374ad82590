/** Who does the work here: kept beside the pack. A plain role chip is what the file itself says. */

import type { State } from "../../session";
import { RoleDot } from "../../ui/RoleDot";

export function BoundRole({ bound }: { bound: NonNullable<State["bound"]> }) {
  const how = bound.gate ? "as a gate" : "as a role";
  return (
    <span
      className="state-bound"
      data-bound={bound.role}
      title={`${bound.name} works here (${how}, bound beside the pack)`}
    >
      <RoleDot color={bound.color} />
      <span className="truncate">{bound.name}</span>
    </span>
  );
}
