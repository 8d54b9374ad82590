/**
 * Icon and hue of each kind of state. Unknown kinds get a default icon and a hue from their name.
 */

import {
  Bot,
  Box,
  CheckCheck,
  CircleStop,
  Eye,
  Flag,
  GitBranch,
  GitMerge,
  Hammer,
  Hand,
  LayoutList,
  Map,
  MessageSquare,
  Network,
  Play,
  Puzzle,
  Repeat,
  Search,
  ShieldCheck,
  Split,
  SquareDashed,
  Terminal,
  Users,
  Workflow,
  Wrench,
  type LucideIcon,
} from "lucide-react";

export interface Kind {
  Icon: LucideIcon;
  /** 1 to 8, for the CSS variables `--kind-1` to `--kind-8`. */
  hue: number;
}

const KINDS: Record<string, Kind> = {
  prompt: { Icon: MessageSquare, hue: 1 },
  state: { Icon: MessageSquare, hue: 1 },
  internal: { Icon: MessageSquare, hue: 1 },
  external: { Icon: Hand, hue: 6 },
  hybrid: { Icon: Users, hue: 6 },
  step: { Icon: MessageSquare, hue: 1 },
  work: { Icon: MessageSquare, hue: 1 },
  stage: { Icon: MessageSquare, hue: 1 },
  reader: { Icon: Eye, hue: 5 },
  agent: { Icon: Bot, hue: 2 },
  agents: { Icon: Users, hue: 2 },
  supervisor: { Icon: Users, hue: 2 },
  orchestrator: { Icon: Network, hue: 4 },
  planner: { Icon: Map, hue: 1 },
  implementer: { Icon: Hammer, hue: 2 },
  reviewer: { Icon: CheckCheck, hue: 3 },
  investigator: { Icon: Search, hue: 5 },
  verification: { Icon: CheckCheck, hue: 3 },
  verify: { Icon: CheckCheck, hue: 3 },
  check: { Icon: ShieldCheck, hue: 3 },
  gate: { Icon: ShieldCheck, hue: 3 },
  validate: { Icon: ShieldCheck, hue: 3 },
  composition: { Icon: Workflow, hue: 4 },
  workflow: { Icon: Workflow, hue: 4 },
  loop: { Icon: Repeat, hue: 4 },
  tool: { Icon: Wrench, hue: 5 },
  command: { Icon: Terminal, hue: 5 },
  runner: { Icon: Terminal, hue: 5 },
  human: { Icon: Hand, hue: 6 },
  approval: { Icon: Hand, hue: 6 },
  branch: { Icon: GitBranch, hue: 7 },
  parallel: { Icon: Split, hue: 7 },
  fork: { Icon: Split, hue: 7 },
  join: { Icon: GitMerge, hue: 7 },
  router: { Icon: GitBranch, hue: 7 },
  closure: { Icon: Flag, hue: 8 },
  terminal: { Icon: CircleStop, hue: 8 },
  end: { Icon: CircleStop, hue: 8 },
  start: { Icon: Play, hue: 8 },
  section: { Icon: SquareDashed, hue: 8 },
  fragment: { Icon: LayoutList, hue: 8 },
};

const HUES = 8;

function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return 1 + (sum % HUES);
}

/** The kind by name or by its first part: `verification.issue` counts as `verification`. */
export function kindOf(name: string): Kind {
  const kind = KINDS[name] ?? KINDS[name.split(/[.:_-]/)[0] ?? ""];
  if (kind) return kind;
  return { Icon: name.includes(".") ? Puzzle : Box, hue: name ? hueOf(name) : 1 };
}
