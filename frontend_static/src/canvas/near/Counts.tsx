/** Counts on a card: tools, checks, artifacts and so on. */

import {
  Asterisk,
  FileText,
  Hash,
  ListChecks,
  MessageSquare,
  Package,
  Repeat,
  ShieldCheck,
  Users,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { memo } from "react";

const ICONS: Record<string, LucideIcon> = {
  tools: Wrench,
  checks: ListChecks,
  validators: ShieldCheck,
  artifacts: Package,
  prompts: MessageSquare,
  agents: Users,
  members: Users,
  files: FileText,
  retries: Repeat,
  variables: Asterisk,
};

/** The icon of a count, by its name in the graph. */
export const countIcon = (name: string): LucideIcon => ICONS[name] ?? Hash;

export const Counts = memo(function Counts({
  counts,
  max,
}: {
  counts: Record<string, number>;
  max: number;
}) {
  const visible = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .slice(0, max);
  return visible.map(([name, count]) => {
    const Icon = countIcon(name);
    return (
      <span className="state-count" key={name} title={`${count} ${name.replaceAll("_", " ")}`}>
        <Icon size={11} aria-hidden />
        {count}
      </span>
    );
  });
});
