/** A side or bottom pane with an edge that resizes it. */

import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { DEFAULT_DRAWER_HEIGHT, panels, usePanels } from "./panelState";

type Side = "left" | "right" | "bottom";

const SIZES = {
  left: { name: "sidebarWidth", least: 180, most: 480 },
  right: { name: "inspectorWidth", least: 240, most: 720 },
  bottom: { name: "drawerHeight", least: 120, most: 720 },
} as const;

export function Pane({
  side,
  label,
  children,
}: {
  side: Side;
  label: string;
  children: ReactNode;
}) {
  const size = usePanels((state) => state[SIZES[side].name]);
  const style = side === "bottom" ? { height: size } : { width: size };
  const Tag = side === "bottom" ? "section" : "aside";
  return (
    <Tag
      className={`pane ${side}`}
      aria-label={label}
      style={style}
      data-enlarged={(side === "bottom" && size > DEFAULT_DRAWER_HEIGHT) || undefined}
    >
      {children}
      <Edge side={side} label={label} size={size} />
    </Tag>
  );
}

function Edge({ side, label, size }: { side: Side; label: string; size: number }) {
  const { name, least, most } = SIZES[side];
  const resize = (to: number) =>
    panels.set({ [name]: Math.round(Math.max(least, Math.min(most, to))) });
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1 || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const moved = { left: event.movementX, right: -event.movementX, bottom: -event.movementY }[
      side
    ];
    resize(panels.state[name] + moved);
  };
  const keys = (event: KeyboardEvent) => {
    const grow = { left: "ArrowRight", right: "ArrowLeft", bottom: "ArrowUp" }[side];
    const shrink = { left: "ArrowLeft", right: "ArrowRight", bottom: "ArrowDown" }[side];
    if (event.key === grow) resize(size + 16);
    if (event.key === shrink) resize(size - 16);
  };
  return (
    <div
      className="edge"
      role="separator"
      tabIndex={0}
      aria-label={`Size of ${label}`}
      aria-orientation={side === "bottom" ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={keys}
    />
  );
}
