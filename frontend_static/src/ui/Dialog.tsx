/**
 * A modal dialog on the browser's dialog element, which keeps focus inside and restores it on
 * close. Its title and buttons are `div`s: `header` and `footer` in a dialog are landmarks of the
 * page.
 */

import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { sendsForm } from "./keys";
import { Button } from "./Button";

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** Hide the title, except from screen readers. */
  bare?: boolean;
  /** If set, the body is a form that Enter submits. */
  onSubmit?: () => void;
}

/** The element that gets focus when a dialog opens: its first field, or its main button. */
const INITIAL_FOCUS = ".body input, .body select, .body textarea, .dialog-buttons .primary";

/** The button that Ctrl+Enter presses: the primary one, or the last at the bottom. */
function mainButton(dialog: HTMLElement): HTMLElement | undefined {
  const all = (selector: string) => [...dialog.querySelectorAll<HTMLElement>(selector)];
  const [main] = [...all(".dialog-buttons .primary"), ...all(".body .primary")];
  return main ?? all(".dialog-buttons .button").at(-1);
}

export function Dialog({ title, onClose, children, footer, wide, bare, onSubmit }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = box.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>(INITIAL_FOCUS)?.focus();
    }
    return () => dialog?.close();
  }, []);
  const inside = (
    <>
      <section className="body" tabIndex={onSubmit ? undefined : 0}>
        {children}
      </section>
      {footer && <div className="dialog-buttons">{footer}</div>}
    </>
  );
  return (
    <dialog
      ref={box}
      className={["dialog", wide && "wide", bare && "bare"].filter(Boolean).join(" ")}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === box.current && onClose()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (!sendsForm(event)) return;
        event.preventDefault();
        mainButton(event.currentTarget)?.click();
      }}
    >
      <div className={bare ? "dialog-title visually-hidden" : "dialog-title"}>
        <h2 id={heading}>{title}</h2>
        <Button kind="quiet small icon-only" aria-label="Close" onClick={onClose}>
          <X className="icon" aria-hidden />
        </Button>
      </div>
      {onSubmit ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {inside}
        </form>
      ) : (
        inside
      )}
    </dialog>
  );
}
