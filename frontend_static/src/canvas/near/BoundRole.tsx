/**
 * The role bound to a state, which is stored outside the pack. A plain role chip shows a role from
 * the file.
 */

import type { State } from "../../session";
import { RoleDot } from "../../ui/RoleDot";
import { MiddleShortened } from "./CardId";

export function BoundRole({ bound }: { bound: NonNullable<State["bound"]> }) {
  const how = bound.gate ? "as a gate" : "as a role";
  return (
    <span
      className="state-bound"
      data-bound={bound.role}
      title={`${bound.name} works here (${how})`}
    >
      <RoleDot color={bound.color} />
      <span className="bound-name">
        <MiddleShortened text={bound.name} room="chip" />
      </span>
    </span>
  );
}
