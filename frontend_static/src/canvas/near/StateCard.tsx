/** A state as a card. Its size is fixed, and everything it shows comes from the session. */

import type { NodeProps } from "@xyflow/react";
import {
  CircleAlert,
  Hand,
  Info,
  Sprout,
  SquareArrowOutDownRight,
  StickyNote,
  TriangleAlert,
} from "lucide-react";
import { memo } from "react";
import { useStore } from "zustand";
import { kindOf } from "../../ui/stateKinds";
import {
  cardFindings,
  levelOf,
  shortId,
  useSession,
  type CardStatus,
  type Finding,
  type Level,
  type State,
} from "../../session";
import { useStage } from "../view/stageContext";
import { useJustAdded } from "./useJustAdded";
import { BoundRole } from "./BoundRole";
import { CardId } from "./CardId";
import { Counts } from "./Counts";
import { hasFoot, hasName, hasPromptLine } from "./cardLines";
import { RoleChip } from "./RoleChip";
import { selectOnKeyboardFocus } from "./selectOnFocus";
import { inboxLabel, AgentStatusChip, STATUS_LABEL } from "./AgentStatusChip";

const FINDING_ICONS = { error: CircleAlert, warning: TriangleAlert, hint: Info } as const;

export const StateCard = memo(
  function StateCard({ id }: NodeProps) {
    const state = useSession((session) => session.graph.states.get(id));
    if (!state) return null;
    return <Card state={state} />;
  },
  (before, after) => before.id === after.id,
);

function Card({ state }: { state: State }) {
  const stage = useStage();
  const element = `state:${state.id}`;
  const selected = useSession((session) => session.selection.has(element));
  const entry = useSession((session) =>
    session.graph.entries.some((one) => one.state === state.id),
  );
  const worst = useSession((session) => cardFindings(session, state)[0]);
  const count = useSession((session) => cardFindings(session, state).length);
  const run = useRunMarks(state.id);
  const highlighted = useStore(stage.hover, (hover) => hover.highlighted.has(state.id));
  const refused = useStore(stage.connectTargets, (landing) => landing.refused.has(state.id));
  const viewers = useSession((session) => viewersOf(session.people, session.user, element));
  const justAdded = useJustAdded(state.id);
  const by = useSession((session) => session.graph.addedBy?.[state.id]);
  const diff = useSession((session) => session.comparison?.marks.get(element));
  const was = useSession((session) => session.comparison?.was.get(element));
  const proposed = useSession((session) => session.comparison?.proposed);
  const brought = proposed ? cardFindings({ findingsOf: proposed.findings }, state) : [];
  const inConflict = useSession((session) => session.conflictElements.has(element));
  const heat = useSession((session) => session.heat?.get(state.id));
  const { Icon, hue } = kindOf(state.kind);
  return (
    <div
      className={classNames(state, {
        selected,
        highlighted,
        refused,
        "just-added": justAdded,
        ghost: proposed !== undefined && diff === "added",
        ...run,
      })}
      data-state={state.id}
      data-hue={hue}
      data-finding={worst?.code}
      data-breakpoint={run.hasBreakpoint ? "true" : undefined}
      data-diff={diff}
      data-conflict={inConflict ? element : undefined}
      data-active={run.active ? "true" : undefined}
      data-halted={run.halted ? "true" : undefined}
      data-visits={run.visits}
      data-heat={heat?.level}
      data-grown={by === undefined ? undefined : "true"}
      data-status={run.status?.status}
      tabIndex={0}
      role="button"
      aria-pressed={selected}
      title={state.note || undefined}
      onFocus={selectOnKeyboardFocus(element)}
    >
      <span className="visually-hidden">
        {spoken(state, entry, worst, count, run, [
          inConflict && "changed on both sides",
          diff && (proposed ? `proposed: ${diff}` : diff),
          brought[0] && `new finding: ${brought[0].message}`,
        ])}
      </span>
      <span className="state-face" aria-hidden>
        <span className="state-bar" />
        {run.hasBreakpoint && (
          <span className="state-breakpoint" title="Breakpoint: runs pause here" />
        )}
        <Icon className="state-icon" size={16} aria-hidden />
        <span className="state-text">
          <CardId id={shortId(state.id, state.level)} />
          {hasName(state) && <span className="state-name">{state.name}</span>}
          {hasPromptLine(state) && (
            <span className="state-prompt" title={state.prompt_line}>
              {state.prompt_line}
            </span>
          )}
          {hasFoot(state) && <Foot state={state} status={run.status} by={by} />}
        </span>
        {diff && (
          <span className="state-diff">{was === undefined ? diff : `renamed from ${was}`}</span>
        )}
        {state.inside && <OpenMark level={state.inside} />}
        {state.note && (
          <span className="state-note" title={state.note}>
            <StickyNote size={12} aria-hidden />
          </span>
        )}
        {worst && <FindingBadge finding={worst} count={count} />}
        {brought[0] && <FindingBadge finding={brought[0]} count={brought.length} hollow />}
        {heat && <span className="state-heat">{heat.label}</span>}
        {run.visits !== undefined && <span className="state-visits">{run.visits}×</span>}
        {run.waiting && !run.status && (
          <span className="state-waiting" title="Waits for a person">
            <Hand size={14} aria-hidden />
          </span>
        )}
        {viewers && <span className="state-people">{viewers}</span>}
        {!state.stateless && <Ports />}
      </span>
    </div>
  );
}

function Foot({
  state,
  status,
  by,
}: {
  state: State;
  status: CardStatus | undefined;
  by: string | undefined;
}) {
  return (
    <span className={status ? "state-foot at-work" : "state-foot"}>
      {by !== undefined && (
        <span
          className="state-count"
          title={by ? `Added in this run by ${by}` : "Added in this run"}
        >
          <Sprout size={12} aria-hidden />
        </span>
      )}
      {state.bound && <BoundRole bound={state.bound} />}
      {state.role && <RoleChip state={state} />}
      {!status && <Counts counts={state.counts} max={state.bound ? 2 : state.role ? 3 : 4} />}
      {status && <AgentStatusChip agent={status} />}
      {state.max_visits !== null && (
        <span className="state-count" title={`At most ${state.max_visits} visits`}>
          ≤{state.max_visits}
        </span>
      )}
    </span>
  );
}

/**
 * The mark that opens the level inside a state. The canvas handles its click, like all clicks on a
 * card.
 */
function OpenMark({ level }: { level: string }) {
  const worst = useSession((session) =>
    session.findings.find((finding) => levelOf(session.fullGraph, finding.element) === level),
  );
  const findingText = worst ? `\nInside: ${worst.message}` : "";
  return (
    <>
      <span className="state-stack" />
      <span
        className={worst ? `state-open level-${worst.level}` : "state-open"}
        data-opens={level}
        title={`Open ${level.replace(":", " ")} (double click, Shift+Enter)${findingText}`}
      >
        <SquareArrowOutDownRight size={13} aria-hidden />
      </span>
    </>
  );
}

function Ports() {
  return (
    <>
      <span className="port port-in" data-port="in" title="Arrows end here" />
      <span className="port port-out" data-port="out" title="Drag to draw an arrow" />
    </>
  );
}

/** `hollow`: of a finding that a proposal would bring. */
function FindingBadge(props: { finding: Finding; count: number; hollow?: boolean }) {
  const { finding, count, hollow = false } = props;
  const Icon = FINDING_ICONS[finding.level];
  return (
    <span
      className={`state-badge level-${finding.level}${hollow ? " hollow" : ""}`}
      data-finding={hollow ? undefined : finding.code}
      data-proposed-finding={hollow ? finding.code : undefined}
      title={`${finding.code}: ${finding.message}`}
    >
      <Icon size={13} aria-hidden />
      {count > 1 && count}
    </span>
  );
}

interface RunMarks {
  active: boolean;
  waiting: boolean;
  failed: boolean;
  halted: boolean;
  muted: boolean;
  visits: number | undefined;
  hasBreakpoint: boolean;
  status: CardStatus | undefined;
}

function useRunMarks(id: string): RunMarks {
  const active = useSession((session) => session.overlay?.active.has(id) ?? false);
  const waiting = useSession((session) => session.overlay?.waiting.has(id) ?? false);
  const failed = useSession((session) => session.overlay?.failed.has(id) ?? false);
  const halted = useSession((session) => session.overlay?.halted?.has(id) ?? false);
  const visits = useSession((session) => session.overlay?.visits.get(id));
  const muted = useSession((session) => session.overlay?.unreached?.has(id) ?? false);
  const hasBreakpoint = useSession((session) =>
    (session.overlay?.breakpoints ?? session.breakpoints).has(id),
  );
  const status = useSession((session) => session.overlay?.cardStatus?.get(id), sameStatus);
  return {
    active,
    waiting,
    failed: failed || status?.status === "failed",
    halted,
    visits,
    muted,
    hasBreakpoint,
    status,
  };
}

const sameStatus = (before: CardStatus | undefined, after: CardStatus | undefined): boolean =>
  before?.status === after?.status && before?.inbox === after?.inbox;

function classNames(state: State, marks: Readonly<Record<string, unknown>>): string {
  const names = ["state-card"];
  if (state.terminal) names.push("terminal");
  if (state.stateless) names.push("section");
  if (state.inside) names.push("deep");
  if (hasName(state) && hasPromptLine(state)) names.push("four-lines");
  for (const name of [
    "selected",
    "highlighted",
    "refused",
    "just-added",
    "ghost",
    "active",
    "waiting",
    "failed",
    "halted",
    "muted",
  ])
    if (marks[name]) names.push(name);
  return names.join(" ");
}

function viewersOf(
  people: { name: string; element: string }[],
  me: string,
  element: string,
): string {
  return people
    .filter((person) => person.name !== me && person.element === element)
    .map((person) => person.name)
    .join(", ");
}

const LEVEL_NAME: Record<Level, string> = { error: "error", warning: "warning", hint: "hint" };

/** The name of the card for people who do not see it. */
function spoken(
  state: State,
  entry: boolean,
  worst: Finding | undefined,
  count: number,
  run: RunMarks,
  more: (string | false | undefined)[],
): string {
  const parts = [
    state.id,
    hasName(state) ? state.name : "",
    state.kind || "state",
    entry ? "start" : "",
    state.terminal ? "end" : "",
    state.inside ? "opens what is inside" : "",
    state.bound ? `${state.bound.name} works here` : "",
    state.prompt_users > 1 ? `prompt shared by ${state.prompt_users} states` : "",
    state.note ? `note: ${state.note}` : "",
    run.hasBreakpoint ? "breakpoint" : "",
    worst
      ? `${count} finding${count > 1 ? "s" : ""}, worst ${LEVEL_NAME[worst.level]}: ${worst.message}`
      : "",
    ...more,
    run.active ? "active" : "",
    run.visits ? `visited ${run.visits === 1 ? "once" : `${run.visits} times`}` : "",
    run.waiting ? "waits for a person" : "",
    run.status ? `${STATUS_LABEL[run.status.status]}, ${inboxLabel(run.status.inbox)}` : "",
    run.failed ? "failed" : "",
    run.halted ? "paused by a fault" : "",
  ];
  return parts.filter(Boolean).join(", ");
}
