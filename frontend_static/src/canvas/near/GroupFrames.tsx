/** Frames around the states of a composition, a fork or a team. */

import { ViewportPortal } from "@xyflow/react";
import { Fragment } from "react";
import { useSession } from "../../session";
import { groupFrames } from "../scene/groupFrames";
import { useStage } from "../view/stageContext";
import type { VisibleElements } from "../view/visibleElements";

export function GroupFrames({ elements }: { elements: VisibleElements }) {
  const { scene } = useStage();
  const groups = useSession((session) => session.graph.groups);
  if (!groups.length || !elements.version) return null;
  return (
    <ViewportPortal>
      {groupFrames(scene, groups).map(({ group, rect }) => (
        <Fragment key={group.id}>
          <div
            className="group-frame"
            data-group={group.id}
            style={{
              transform: `translate(${rect.x}px, ${rect.y}px)`,
              width: rect.w,
              height: rect.h,
            }}
          />
          <span
            className="group-frame-title"
            style={{ transform: `translate(${rect.x}px, ${rect.y}px)`, maxWidth: rect.w }}
          >
            {group.name || group.id} <em>{group.kind}</em>
          </span>
        </Fragment>
      ))}
    </ViewportPortal>
  );
}
