/**
 * A list at a point of the canvas. Arrow keys move, Enter chooses, Escape or a click outside
 * closes.
 */

import { useEffect, useRef, type ReactNode } from "react";
import type { Point } from "../scene/geometry";
import { useStage } from "./stageContext";

interface Props {
  /** Scene point at which it opens. */
  at: Point;
  label: string;
  onClose: () => void;
  children: ReactNode;
}

const WIDTH = 240;
const HEIGHT = 260;

export function Popup({ at, label, onClose, children }: Props) {
  const stage = useStage();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const closeOutside = (event: PointerEvent) => {
      if (!(event.target instanceof Node) || !place.current?.contains(event.target)) onClose();
    };
    const timer = setTimeout(() => window.addEventListener("pointerdown", closeOutside, true));
    focusFirst(place.current);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pointerdown", closeOutside, true);
    };
  }, [onClose]);
  const { x, y, zoom, width, height } = stage.view.get();
  const left = Math.max(8, Math.min(at.x * zoom + x, width - WIDTH - 8));
  const top = Math.max(8, Math.min(at.y * zoom + y, height - HEIGHT - 8));
  const keys = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      onClose();
      stage.element?.focus({ preventScroll: true });
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      stepFocus(place.current, event.key === "ArrowDown" ? 1 : -1);
    }
  };
  return (
    <div
      ref={place}
      className="popup"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      style={{ left, top }}
      onKeyDown={keys}
    >
      {children}
    </div>
  );
}

const focusable = (root: HTMLElement | null) => [
  ...(root?.querySelectorAll<HTMLElement>("button:not(:disabled), input") ?? []),
];

function focusFirst(root: HTMLElement | null): void {
  // Without any option the popup itself gets the focus, so that Escape closes it and nothing else.
  const target = root?.querySelector<HTMLElement>("[data-first]") ?? focusable(root)[0] ?? root;
  target?.focus({ preventScroll: true });
}

function stepFocus(root: HTMLElement | null, step: number): void {
  const all = focusable(root);
  const at = all.findIndex((one) => one === document.activeElement);
  all[(at + step + all.length) % all.length]?.focus();
}
