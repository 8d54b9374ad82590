import type { ComponentProps } from "react";

interface Props extends Omit<ComponentProps<"input">, "checked" | "onChange" | "type"> {
  on: boolean;
  set: (on: boolean) => void;
  kind?: string;
}

/** A checkbox with its text. */
export const Check = ({ on, set, kind = "", children, ...props }: Props) => (
  <label className={kind ? `check ${kind}` : "check"}>
    <input
      type="checkbox"
      checked={on}
      onChange={(event) => set(event.target.checked)}
      {...props}
    />
    {children}
  </label>
);
