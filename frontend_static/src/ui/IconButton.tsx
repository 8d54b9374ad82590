import type { LucideIcon } from "lucide-react";
import { Button } from "./Button";

interface Props {
  label: string;
  /** More words for the tooltip. */
  help?: string | undefined;
  onClick: () => void;
  Icon: LucideIcon;
  disabled?: boolean;
  pressed?: boolean;
  /** A class of the icon. */
  look?: string;
}

export const IconButton = ({ label, help, Icon, pressed, look = "", ...props }: Props) => (
  <Button
    kind="quiet small icon-only"
    aria-label={label}
    title={help ? `${label}: ${help}` : label}
    aria-pressed={pressed}
    {...props}
  >
    <Icon className={`icon ${look}`.trim()} aria-hidden />
  </Button>
);
