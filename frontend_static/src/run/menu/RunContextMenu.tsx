import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { runCommand, session } from "../../session";
import { focusStep } from "../../ui/focusStep";
import { runStore } from "../model/runStore";
import { menuItems } from "./menuItems";
import "./runContextMenu.css";

interface Opened {
  x: number;
  y: number;
  kind: "state" | "transition";
  id: string;
}

/**
 * The context menu of states and transitions while a run is shown: breakpoint, run until here, what
 * a state waits for, and its visits. It opens with the right button, or with the keyboard's menu key.
 * `showInspector` opens the pane that shows visits.
 */
export function RunContextMenu({ showInspector }: { showInspector: () => void }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    const open = (event: MouseEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      if (!target?.closest(".canvas") || runStore.store.getState().id === null) return;
      const { x, y } = placeOf(event, target);
      const element = window.signalbox.at(x, y);
      if (!element) return;
      event.preventDefault();
      const name = `${element.kind}:${element.id}`;
      session.select([name], name);
      setOpened({ x, y, ...element });
    };
    window.addEventListener("contextmenu", open);
    return () => window.removeEventListener("contextmenu", open);
  }, []);
  if (!opened) return null;
  return (
    <OpenMenu
      key={`${opened.x} ${opened.y} ${opened.id}`}
      {...opened}
      showInspector={showInspector}
      close={() => setOpened(null)}
    />
  );
}

/** The pointer, or the middle of the focused element for the keyboard's menu key. */
function placeOf(event: MouseEvent, target: Element): { x: number; y: number } {
  if (event.button === 2 || event.clientX || event.clientY)
    return { x: event.clientX, y: event.clientY };
  const box = target.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

function OpenMenu({
  x,
  y,
  kind,
  id,
  showInspector,
  close,
}: Opened & { showInspector: () => void; close: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = box.current;
    if (!place) return;
    place.style.left = `${Math.max(4, Math.min(x, innerWidth - place.offsetWidth - 4))}px`;
    place.style.top = `${Math.max(4, Math.min(y, innerHeight - place.offsetHeight - 4))}px`;
    place.querySelector<HTMLElement>("[role=menuitem]:not(:disabled)")?.focus();
  }, [x, y]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", outside, true);
    window.addEventListener("blur", close);
    return () => {
      window.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("blur", close);
    };
  }, [close]);
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") return close();
    const items = [
      ...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? []),
    ];
    const current = items.findIndex((item) => item === document.activeElement);
    const next = focusStep(event.key, current, items.length, "vertical");
    if (next === null) return;
    event.preventDefault();
    items[next]?.focus();
  };
  const { head, view, status } = runStore.store.getState();
  const items = menuItems({ kind, id, head, view, status });
  return (
    <div
      ref={box}
      className="menu run-context-menu"
      role="menu"
      aria-label={`Run actions for ${id}`}
      onKeyDown={keys}
    >
      {items.map((item) => (
        <button
          key={item.id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          disabled={item.disabled}
          data-run-action={item.id}
          onClick={() => {
            close();
            if (item.command) runCommand(item.command);
            if (item.id === "visits" || item.id === "waits") showInspector();
          }}
        >
          <span>{item.title}</span>
          {item.keys && <kbd>{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
