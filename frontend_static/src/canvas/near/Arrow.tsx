/** One arrow: a wide invisible line as pointer target, the visible line, its head and its label. */

import { memo } from "react";
import { useStore } from "zustand";
import { useSession, type Transition } from "../../session";
import { arrowLabel } from "../scene/arrowLabel";
import { HEAD_PATHS, sourceHandle, type Route } from "../scene/arrowPath";
import { PILL_HEIGHT, pillWidth, truncateLabel } from "../scene/cardSizes";
import { isDashed, lineWidth } from "../scene/arrowStyle";
import { stemBar } from "../scene/stemBar";
import { useStage } from "../view/stageContext";
import { useJustAdded } from "./useJustAdded";
import { selectOnKeyboardFocus } from "./selectOnFocus";

export const Arrow = memo(function Arrow({ arrow, route }: { arrow: Transition; route: Route }) {
  const stage = useStage();
  const element = `transition:${arrow.id}`;
  const selected = useSession((session) => session.selection.has(element));
  const hovered = useStore(stage.hover, (hover) => hover.element === element);
  const worst = useSession((session) => session.findingsOf.get(element)?.[0]);
  const visits = useSession((session) => session.overlay?.taken.get(arrow.id));
  const last = useSession((session) => session.overlay?.lastTaken?.get(arrow.id) ?? null);
  const owed = useSession((session) => session.overlay?.owedReplies?.get(arrow.id) ?? "");
  const justAdded = useJustAdded(arrow.id);
  const hasBreakpoint = useSession((session) =>
    (session.overlay?.breakpoints ?? session.breakpoints).has(arrow.id),
  );
  const muted = useSession((session) => session.overlay?.unreached?.has(arrow.id) ?? false);
  const diff = useSession((session) => session.comparison?.marks.get(element));
  const proposed = useSession((session) => session.comparison?.proposed);
  const takenBy = proposed?.takenBy.get(element);
  const brought = proposed?.findings.get(element)?.[0]?.message;
  const inConflict = useSession((session) => session.conflictElements.has(element));
  const names = [
    "arrow",
    `arrow-${arrow.kind}`,
    isDashed(arrow) && "dashed",
    arrow.inert && "inert",
    selected && "selected",
    hovered && "hovered",
    worst && `level-${worst.level}`,
    visits !== undefined && "taken",
    hasBreakpoint && "breakpoint",
    last !== null && "last",
    muted && "muted",
    justAdded && "just-added",
    proposed && diff === "added" && "ghost",
    takenBy && "run-took",
  ];
  return (
    <g
      className={names.filter(Boolean).join(" ")}
      data-transition={arrow.id}
      data-finding={worst?.code}
      data-visits={visits}
      data-diff={diff}
      data-conflict={inConflict ? element : undefined}
      data-breakpoint={hasBreakpoint ? "true" : undefined}
      data-owed={owed ? "true" : undefined}
      tabIndex={0}
      role="button"
      aria-pressed={selected}
      onFocus={selectOnKeyboardFocus(element)}
    >
      <title>
        {spoken(arrow, [
          worst?.message,
          inConflict && "changed on both sides",
          owed,
          diff && (proposed ? `proposed: ${diff}` : diff),
          takenBy && "taken by a recorded run",
          brought && `new finding: ${brought}`,
        ])}
      </title>
      <path className="arrow-aim" d={route.d} />
      {inConflict && <path className="arrow-outline" d={route.d} />}
      <path className="arrow-line" d={route.d} strokeWidth={lineWidth(visits)} />
      <path
        className="arrow-head"
        d={HEAD_PATHS[route.angle]}
        transform={`translate(${route.tip.x} ${route.tip.y})`}
      />
      <StemMark arrow={arrow} route={route} />
      <Pill arrow={arrow} route={route} visits={visits} title={worst?.message ?? ""} />
      {owed && <OwedReplyMark arrow={arrow} route={route} title={owed} />}
      {selected && <EndHandles route={route} />}
      {last !== null && <TravellingDot key={last} d={route.d} />}
    </g>
  );
});

/** A dot where arrows of one choice part, or a bar where parallel branches part or join. */
function StemMark({ arrow, route }: { arrow: Transition; route: Route }) {
  const bar = stemBar(arrow, route);
  if (bar)
    return <rect className="arrow-stem" x={bar.x} y={bar.y} width={bar.w} height={bar.h} rx={2} />;
  return route.stem && <circle className="arrow-stem" cx={route.stem.x} cy={route.stem.y} r={3} />;
}

function Pill(props: {
  arrow: Transition;
  route: Route;
  visits: number | undefined;
  title: string;
}) {
  const { arrow, route, visits } = props;
  const label = arrowLabel(arrow);
  if (!label) return null;
  const text = truncateLabel(label);
  const width = pillWidth(label);
  return (
    <g className="pill" aria-hidden transform={`translate(${route.label.x} ${route.label.y})`}>
      <title>{[arrow.label, props.title].filter(Boolean).join(" — ")}</title>
      <g className="pill-body">
        <rect
          x={-width / 2}
          y={-PILL_HEIGHT / 2}
          width={width}
          height={PILL_HEIGHT}
          rx={PILL_HEIGHT / 2}
        />
        <text y={4}>{text}</text>
        {visits !== undefined && visits > 1 && (
          <text className="pill-visits" x={width / 2 + 4} y={4}>
            {visits}×
          </text>
        )}
      </g>
    </g>
  );
}

/** A clock at the label of an arrow along which a reply is owed. */
function OwedReplyMark({
  arrow,
  route,
  title,
}: {
  arrow: Transition;
  route: Route;
  title: string;
}) {
  const label = arrowLabel(arrow);
  const x = route.label.x + (label ? pillWidth(label) / 2 + 2 : 0);
  return (
    <g
      className="arrow-reply-owed"
      transform={`translate(${x} ${route.label.y - PILL_HEIGHT / 2})`}
    >
      <title>{title}</title>
      <circle r={8} />
      <path d="M0 -4V0L2.5 2" />
    </g>
  );
}

function EndHandles({ route }: { route: Route }) {
  const handle = sourceHandle(route);
  return (
    <>
      <circle className="arrow-end" data-end="source" cx={handle.x} cy={handle.y} r={5} />
      <circle className="arrow-end" data-end="target" cx={route.tip.x} cy={route.tip.y} r={5} />
    </>
  );
}

/** It is hidden before and after its way, so that no dot stays on the canvas. */
function TravellingDot({ d }: { d: string }) {
  return <circle className="arrow-dot" r={5} style={{ offsetPath: `path("${d}")` }} />;
}

/** The name of the arrow for people who do not see it. */
function spoken(arrow: Transition, more: (string | false | undefined)[]): string {
  const kind = arrow.kind === "event" ? "arrow" : arrow.kind;
  const text = `${arrowLabel(arrow) || kind}: ${kind} from ${arrow.source} to ${arrow.target || "the end"}`;
  return [text, ...more].filter(Boolean).join(", ");
}
