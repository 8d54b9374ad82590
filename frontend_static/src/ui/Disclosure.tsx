/** A heading that expands and collapses its content, with optional buttons in the heading. */

import { ChevronRight } from "lucide-react";
import { useId, type ReactNode } from "react";

export interface DisclosureProps {
  title: ReactNode;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** Buttons and links in the heading that do not toggle it. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Disclosure({
  title,
  open,
  onToggle,
  aside,
  className = "",
  children,
}: DisclosureProps) {
  const id = useId();
  return (
    <div className={`disclosure ${className}`}>
      <div className="disclosure-head">
        <button
          type="button"
          className="disclosure-title"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onToggle(!open)}
        >
          <ChevronRight className="icon" aria-hidden />
          {title}
        </button>
        {aside}
      </div>
      {open && (
        <div id={id} className="disclosure-body">
          {children}
        </div>
      )}
    </div>
  );
}
