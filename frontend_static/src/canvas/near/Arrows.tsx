/** The arrows, stubs and entry marks in the viewport, in one SVG under the cards. */

import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { useStore } from "zustand";
import type { Card } from "../scene/card";
import { END } from "../scene/card";
import { truncateLabel, STUB } from "../scene/cardSizes";
import { HEAD_PATHS } from "../scene/arrowPath";
import { ENTRY_DOT } from "../scene/entryMarks";
import { useStage } from "../view/stageContext";
import type { VisibleElements } from "../view/visibleElements";
import { Arrow } from "./Arrow";

export function Arrows({ elements }: { elements: VisibleElements }) {
  const { scene, carry: carrying } = useStage();
  const carry = useStore(carrying, (value) => value);
  const carriedEnds = (id: string): number => {
    const arrow = carry.ids.size ? scene.arrows.get(id) : undefined;
    return arrow ? Number(carry.ids.has(arrow.source)) + Number(carry.ids.has(arrow.target)) : 0;
  };
  // Arrows between dragged and resting states are drawn again after the drop.
  const resting = carry.ids.size
    ? elements.arrows.filter((id) => carriedEnds(id) === 0)
    : elements.arrows;
  const carried = carry.ids.size ? elements.arrows.filter((id) => carriedEnds(id) === 2) : [];
  return (
    <ViewportPortal>
      <svg className="arrows" aria-label="Arrows" role="group">
        <EntryMarks />
        {elements.stubs.map((card) => (
          <Stub card={card} key={card.id} />
        ))}
        <ArrowList ids={resting} />
        {carried.length > 0 && (
          <g transform={`translate(${carry.dx} ${carry.dy})`}>
            <ArrowList ids={carried} />
          </g>
        )}
      </svg>
    </ViewportPortal>
  );
}

function ArrowList({ ids }: { ids: string[] }) {
  const { scene } = useStage();
  return ids.map((id) => {
    const arrow = scene.arrows.get(id);
    const route = arrow && scene.route(id);
    return route && <Arrow key={id} arrow={arrow} route={route} />;
  });
}

const Stub = memo(function Stub({ card }: { card: Card }) {
  if (card.id === END) return <EndMark card={card} />;
  return (
    <g className="stub" transform={`translate(${card.x} ${card.y})`} data-stub={card.id}>
      <title>{`No state is called “${card.id}”.`}</title>
      <rect width={STUB.w} height={STUB.h} rx={8} />
      <text x={12} y={20}>{`? ${truncateLabel(card.id, 18)}`}</text>
    </g>
  );
});

/** The target of transitions that end the run. */
function EndMark({ card }: { card: Card }) {
  return (
    <g className="stub end" transform={`translate(${card.x} ${card.y})`} data-end="true">
      <title>The run ends here.</title>
      <rect width={STUB.w} height={STUB.h} rx={STUB.h / 2} />
      <text x={STUB.w / 2} y={20} textAnchor="middle">
        End
      </text>
    </g>
  );
}

/** A dot with an arrow into each entry state. */
function EntryMarks() {
  return useStage()
    .scene.entryMarks()
    .map(({ entry, dot, route, text, textAt }) => (
      <g className="entry" key={`${entry.key}|${entry.state}`} data-entry={entry.state}>
        <title>{entry.key ? `Entry ${entry.key}` : "A run begins here"}</title>
        <circle cx={dot.x} cy={dot.y} r={ENTRY_DOT} />
        <path d={route.d} />
        <path
          className="arrow-head"
          d={HEAD_PATHS[route.angle]}
          transform={`translate(${route.tip.x} ${route.tip.y})`}
        />
        {text && (
          <text x={textAt.x} y={textAt.y} textAnchor={textAt.anchor}>
            {text}
          </text>
        )}
      </g>
    ));
}
