/**
 * A list at a point of the canvas. Arrow keys move, Enter chooses, Escape or a click outside
 * closes.
 */

import { useEffect, useLayoutEffect, useRef, type ReactNode } from "react";
import type { Point, Rect } from "../scene/geometry";
import { useStage } from "./stageContext";
import { keyOf } from "../../ui/keys";

interface Props {
  /** Scene point at which it opens. */
  at: Point;
  /** A part of the scene that it covers only if there is no room next to it. */
  avoid?: Rect;
  label: string;
  onClose: () => void;
  children: ReactNode;
}

const MARGIN = 8;

export function Popup({ at, avoid, label, onClose, children }: Props) {
  const stage = useStage();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const closeOutside = (event: PointerEvent) => {
      if (!(event.target instanceof Node) || !place.current?.contains(event.target)) onClose();
    };
    const timer = setTimeout(() => window.addEventListener("pointerdown", closeOutside, true));
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pointerdown", closeOutside, true);
    };
  }, [onClose]);
  // Before the browser reads the next key, so that none reaches the canvas or is lost.
  useLayoutEffect(() => focusFirst(place.current), []);
  // Its size changes with what it shows, so it is placed again after every change.
  useLayoutEffect(() => {
    const box = place.current;
    if (!box) return;
    const { x, y, zoom, width, height } = stage.view.getState();
    const fit = (wanted: number, most: number) => Math.max(MARGIN, Math.min(wanted, most - MARGIN));
    let left = fit(at.x * zoom + x, width - box.offsetWidth);
    const top = fit(at.y * zoom + y, height - box.offsetHeight);
    if (avoid && top < (avoid.y + avoid.h) * zoom + y) {
      const [after, before] = [(avoid.x + avoid.w) * zoom + x, avoid.x * zoom + x];
      const roomAfter = after + 2 * MARGIN + box.offsetWidth <= width;
      const wanted = roomAfter ? after + MARGIN : before - MARGIN - box.offsetWidth;
      left = fit(wanted, width - box.offsetWidth);
    }
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  });
  const keys = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (keyOf(event) === "Escape") {
      onClose();
      stage.element?.focus({ preventScroll: true });
    } else if (keyOf(event) === "ArrowDown" || keyOf(event) === "ArrowUp") {
      event.preventDefault();
      stepFocus(place.current, keyOf(event) === "ArrowDown" ? 1 : -1);
    }
  };
  return (
    <div
      ref={place}
      className="popup"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
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
  if (target instanceof HTMLInputElement) target.select();
}

function stepFocus(root: HTMLElement | null, step: number): void {
  const all = focusable(root);
  const at = all.findIndex((one) => one === document.activeElement);
  all[(at + step + all.length) % all.length]?.focus();
}
