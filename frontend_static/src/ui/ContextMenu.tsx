/**
 * A menu at a point of the page. Arrow keys, Home and End move; Escape, Tab and a click outside
 * close.
 */

import { Fragment, useEffect, useLayoutEffect, useRef, type KeyboardEvent } from "react";
import { focusStep } from "./focusStep";
import "./contextMenu.css";
import { keyOf } from "./keys";

export interface ContextMenuItem {
  id: string;
  title: string;
  icon?: React.ReactNode;
  keys?: string | undefined;
  disabled?: boolean;
  run: () => void;
}

/** Items between two lines. A row shows the icons of its items only. */
export interface ContextMenuSection {
  name: string;
  row?: boolean;
  items: readonly ContextMenuItem[];
}

interface Props {
  x: number;
  y: number;
  label: string;
  sections: readonly ContextMenuSection[];
  /** Called before an item runs, too. */
  close: () => void;
}

const EDGE = 4;
const ENABLED = "[role=menuitem]:not(:disabled)";

export function ContextMenu({ x, y, label, sections, close }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = box.current;
    if (!place) return;
    const within = (at: number, size: number, window: number) =>
      `${Math.max(EDGE, Math.min(at, window - size - EDGE))}px`;
    place.style.left = within(x, place.offsetWidth, innerWidth);
    place.style.top = within(y, place.offsetHeight, innerHeight);
    place.querySelector<HTMLElement>(ENABLED)?.focus({ preventScroll: true });
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
    if (keyOf(event) === "Escape" || keyOf(event) === "Tab") {
      event.preventDefault();
      return close();
    }
    const items = [...(box.current?.querySelectorAll<HTMLElement>(ENABLED) ?? [])];
    const current = items.findIndex((item) => item === document.activeElement);
    const inRow = document.activeElement?.closest(".menu-row");
    const step =
      focusStep(keyOf(event), current, items.length, "vertical") ??
      (inRow ? focusStep(keyOf(event), current, items.length, "horizontal") : null);
    if (step === null) return;
    event.preventDefault();
    items[step]?.focus();
  };
  return (
    <div
      ref={box}
      className="menu context-menu"
      role="menu"
      aria-label={label}
      onKeyDown={keys}
      onContextMenu={(event) => event.preventDefault()}
    >
      {sections.map(({ name, row, items }, index) => (
        <Fragment key={name}>
          {index > 0 && <div role="separator" />}
          <div role="none" className={row ? "menu-row" : undefined}>
            {items.map((item) => (
              <Item key={item.id} item={item} iconOnly={row ?? false} close={close} />
            ))}
          </div>
        </Fragment>
      ))}
    </div>
  );
}

interface ItemProps {
  item: ContextMenuItem;
  iconOnly: boolean;
  close: () => void;
}

function Item({ item, iconOnly, close }: ItemProps) {
  const { id, title, icon, keys, disabled, run } = item;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      data-action={id}
      aria-label={iconOnly ? title : undefined}
      title={iconOnly ? [title, keys && `(${keys})`].filter(Boolean).join(" ") : undefined}
      onClick={() => {
        close();
        run();
      }}
    >
      {icon}
      {!iconOnly && <span>{title}</span>}
      {!iconOnly && keys && <kbd>{keys}</kbd>}
    </button>
  );
}
