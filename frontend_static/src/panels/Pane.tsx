/** A side or bottom pane with an edge that resizes it. It has its place before its content. */

import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { DEFAULT_DRAWER_HEIGHT, defaultPromptWidth, panels, usePanels } from "./panelState";
import { keyOf } from "../ui/keys";

type Side = "left" | "right" | "bottom";
type Sized = keyof typeof SIZES;

const SIZES = {
  left: { name: "sidebarWidth", least: 180, most: 480 },
  right: { name: "inspectorWidth", least: 240, most: 720 },
  widePrompt: { name: "widePromptWidth", least: 400, most: 1200 },
  bottom: { name: "drawerHeight", least: 120, most: 720 },
} as const;

export function Pane({
  side,
  label,
  wide = false,
  children,
}: {
  side: Side;
  label: string;
  /** The pane on the right has the width of a wide prompt. */
  wide?: boolean;
  children: ReactNode;
}) {
  const sized: Sized = wide ? "widePrompt" : side;
  const size = usePanels((state) => state[SIZES[sized].name]) || defaultPromptWidth(innerWidth);
  const filled = usePanels((state) => state.filled);
  const style = side === "bottom" ? { height: size } : { width: size };
  const Tag = side === "bottom" ? "section" : "aside";
  return (
    <Tag
      className={`pane ${side}`}
      aria-label={label}
      style={style}
      data-wide={wide || undefined}
      data-enlarged={(side === "bottom" && size > DEFAULT_DRAWER_HEIGHT) || undefined}
    >
      {filled && children}
      <Edge side={side} sized={sized} label={label} size={size} />
    </Tag>
  );
}

interface EdgeProps {
  side: Side;
  sized: Sized;
  label: string;
  size: number;
}

function Edge({ side, sized, label, size }: EdgeProps) {
  const { name, least, most } = SIZES[sized];
  const resize = (to: number) =>
    panels.set({ [name]: Math.round(Math.max(least, Math.min(most, to))) });
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1 || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const moved = { left: event.movementX, right: -event.movementX, bottom: -event.movementY }[
      side
    ];
    resize((panels.state[name] || size) + moved);
  };
  const keys = (event: KeyboardEvent) => {
    const grow = { left: "ArrowRight", right: "ArrowLeft", bottom: "ArrowUp" }[side];
    const shrink = { left: "ArrowLeft", right: "ArrowRight", bottom: "ArrowDown" }[side];
    if (keyOf(event) === grow) resize(size + 16);
    if (keyOf(event) === shrink) resize(size - 16);
  };
  return (
    <div
      className="edge"
      role="slider"
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
