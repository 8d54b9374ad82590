import type { LucideIcon } from "lucide-react";
import { Button } from "./Button";

interface Props {
  label: string;
  onClick: () => void;
  Icon: LucideIcon;
  disabled?: boolean;
}

export const IconButton = ({ label, Icon, ...props }: Props) => (
  <Button kind="quiet small icon-only" aria-label={label} title={label} {...props}>
    <Icon className="icon" aria-hidden />
  </Button>
);
