import type { ReactNode } from "react";

interface Props {
  label: string;
  help?: string;
  kind?: string;
  children: ReactNode;
}

/** A field of a dialog: its label, the input, and help below it. */
export const FieldLabel = ({ label, help, kind = "", children }: Props) => (
  <label className={kind ? `field ${kind}` : "field"}>
    <span className="field-label">{label}</span>
    {children}
    {help && <span className="help">{help}</span>}
  </label>
);
