/** The breadcrumb of an opened level: the pack and the level's element. */

import "./breadcrumb.css";

import { ArrowUp, ChevronRight } from "lucide-react";
import { TOP_LEVEL, levelKey, session, shallow, useSession } from "../../../session";
import { Mono } from "../../../ui/Mono";

export function Breadcrumb() {
  const level = useSession((state) => state.level);
  const name = useSession((state) => state.packDetail?.name || state.fullGraph.name || "Pack");
  const users = useSession(
    (state) => openers(state.fullGraph.states.values(), state.level),
    shallow,
  );
  if (level === TOP_LEVEL) return null;
  const kind = level.slice(0, level.indexOf(":"));
  return (
    <nav className="controls breadcrumb" aria-label="Canvas level" data-level={level}>
      <button
        type="button"
        className="breadcrumb-up"
        title="Go up (Escape)"
        aria-label="Go up"
        onClick={session.leaveLevel}
      >
        <ArrowUp size={14} aria-hidden />
      </button>
      <ol className="plain">
        <li>
          <button type="button" onClick={() => session.openLevel(TOP_LEVEL)}>
            {name}
          </button>
        </li>
        <li aria-current="location">
          <ChevronRight size={13} aria-hidden />
          <em>{kind}</em> <Mono>{levelKey(level)}</Mono>
        </li>
      </ol>
      <span className="breadcrumb-users">
        {users.length ? `opened by ${users.join(", ")}` : "no state opens it"}
      </span>
    </nav>
  );
}

function openers(states: Iterable<{ id: string; inside: string }>, level: string): string[] {
  return [...states].filter((state) => state.inside === level).map((state) => state.id);
}
