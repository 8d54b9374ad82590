/** An agent's status and the number of messages in its inbox, on its card. */

import {
  CircleAlert,
  CircleDashed,
  CirclePlay,
  CircleStop,
  Hand,
  Inbox,
  RefreshCcwDot,
  type LucideIcon,
} from "lucide-react";
import type { CardStatus } from "../../session";

export const STATUS_LABEL: Readonly<Record<CardStatus["status"], string>> = {
  idle: "idle",
  running: "running",
  waiting: "waits for you",
  failed: "failed",
  stalled: "stalled",
  stopped: "stopped",
};

const ICONS: Readonly<Record<CardStatus["status"], LucideIcon>> = {
  idle: CircleDashed,
  running: CirclePlay,
  waiting: Hand,
  failed: CircleAlert,
  stalled: RefreshCcwDot,
  stopped: CircleStop,
};

export const inboxLabel = (count: number): string =>
  count === 0 ? "nothing in its inbox" : `${count} in its inbox`;

export function AgentStatusChip({ agent }: { agent: CardStatus }) {
  const { status, inbox } = agent;
  const Icon = ICONS[status];
  return (
    <span className={`agent-status ${status}`}>
      {inbox > 0 && (
        <span
          className="state-inbox"
          data-inbox={inbox}
          title={`${inboxLabel(inbox)}, for its next turn`}
        >
          <Inbox size={12} aria-hidden />
          {inbox}
        </span>
      )}
      <Icon size={12} aria-hidden />
      {STATUS_LABEL[status]}
    </span>
  );
}
