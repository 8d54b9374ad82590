import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  Icon: LucideIcon;
  title: string;
  children: ReactNode;
}

/** In place of content that does not exist yet. */
export const Empty = ({ Icon, title, children }: Props) => (
  <div className="empty">
    <Icon className="icon" aria-hidden />
    <h3>{title}</h3>
    <p>{children}</p>
  </div>
);
