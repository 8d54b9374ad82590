/** A row of tabs. Arrow keys, Home and End move; the caller renders the panel. */

import type { KeyboardEvent, ReactNode } from "react";
import { focusStep } from "./focusStep";
import { keyOf } from "./keys";

export interface Tab<Id extends string> {
  id: Id;
  title: string;
  /** A small mark after the title, such as a count. */
  mark?: ReactNode;
}

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  /** "" if no panel is open. */
  current: Id | "";
  onChange: (id: Id) => void;
}

export function Tabs<Id extends string>({ label, tabs, current, onChange }: TabsProps<Id>) {
  const reachable = tabs.some((tab) => tab.id === current) ? current : tabs[0]?.id;
  const move = (event: KeyboardEvent) => {
    const focused = tabs.findIndex((tab) => tab.id === reachable);
    const step = focusStep(keyOf(event), focused, tabs.length, "horizontal");
    const next = step === null ? undefined : tabs[step];
    if (!next) return;
    event.preventDefault();
    onChange(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`tab-${tab.id}`}
          type="button"
          role="tab"
          aria-selected={tab.id === current}
          aria-controls={tab.id === current ? `tabpanel-${tab.id}` : undefined}
          tabIndex={tab.id === reachable ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.title}
          {tab.mark}
        </button>
      ))}
    </div>
  );
}

export function TabPanel({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={`tabpanel-${id}`} className="tab-panel" role="tabpanel" aria-labelledby={`tab-${id}`}>
      {children}
    </div>
  );
}
