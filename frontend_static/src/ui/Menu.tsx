/**
 * A button that opens a menu. Arrow keys, Home and End move; Escape, Tab and a click outside close.
 */

import {
  useEffect,
  useId,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { focusStep } from "./focusStep";
import { keyOf } from "./keys";

export interface MenuItem {
  id: string;
  title: string;
  icon?: ReactNode;
  keys?: string;
  disabled?: boolean;
  href?: string;
  run?: () => void;
}

export interface MenuProps {
  label: string;
  button: ReactNode;
  className?: string;
  items: readonly MenuItem[];
}

export function Menu({ label, button, className = "button quiet", items }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  useOutsideClick(open, box, () => setOpen(false));
  useEffect(() => {
    if (open) box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [open]);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (keyOf(event) === "Escape") {
      event.stopPropagation();
      close();
    } else moveFocus(event, box.current);
  };
  // A click also takes the focus away, with no new focus in some browsers; then the click decides.
  const closeIfLeft = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !box.current?.contains(relatedTarget)) setOpen(false);
  };
  return (
    <div
      className="menu-anchor"
      ref={box}
      onKeyDown={open ? keys : undefined}
      onBlur={open ? closeIfLeft : undefined}
    >
      <button
        ref={opener}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {button}
      </button>
      {open && (
        <div className="menu" role="menu" id={id} aria-label={label}>
          {items.map((item) => (
            <MenuRow key={item.id} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function MenuRow({ item, close }: { item: MenuItem; close: () => void }) {
  const inside = (
    <>
      {item.icon}
      <span>{item.title}</span>
      {item.keys && <kbd>{item.keys}</kbd>}
    </>
  );
  if (item.href)
    return (
      <a role="menuitem" tabIndex={-1} href={item.href} onClick={close}>
        {inside}
      </a>
    );
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={item.disabled}
      onClick={() => {
        close();
        item.run?.();
      }}
    >
      {inside}
    </button>
  );
}

/** Move the focus between the menu items that are not disabled. */
function moveFocus(event: KeyboardEvent, box: HTMLElement | null): void {
  const items = [...(box?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
  const current = items.findIndex((item) => item === document.activeElement);
  const next = focusStep(keyOf(event), current, items.length, "vertical");
  if (next === null) return;
  event.preventDefault();
  items[next]?.focus();
}

function useOutsideClick(
  active: boolean,
  box: { current: HTMLElement | null },
  onOutside: () => void,
): void {
  useEffect(() => {
    if (!active) return;
    const outside = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) onOutside();
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  });
}
