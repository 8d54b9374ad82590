import { CirclePlay, CircleStop, Sprout } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { useSession } from "../../session";
import { TabPanel, Tabs } from "../../ui/Tabs";
import { isFinished, type RunEvent } from "../model/events";
import { PendingForState } from "../pending/PendingPanel";
import { Prompts } from "../artifacts/Prompts";
import { runStore, useRunStore, useVisibleEvents } from "../model/runStore";
import { EditedRevision } from "../inspector/EditedRevision";
import { VisitPager } from "../inspector/VisitPager";
import { visitsOf, type Visit } from "../inspector/visits";
import { Chat } from "./Chat";
import { Diffs } from "./Diffs";
import { agentEntries, type AgentEntry } from "./agentEntries";
import { TeamChanges } from "./TeamChanges";
import { ToolCalls } from "./ToolCalls";
import { Usage } from "./Usage";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

const TABS = [
  { id: "chat", title: "Chat" },
  { id: "node-prompts", title: "Prompts" },
  { id: "diffs", title: "Diffs" },
  { id: "tools", title: "Tools" },
  { id: "usage", title: "Usage" },
  { id: "setup", title: "Setup" },
] as const;

type TabId = (typeof TABS)[number]["id"];

/**
 * The inspector of one agent in a run, as of the shown event. `setup` is the agent's form in the
 * pack.
 */
export function AgentInspector({ node, setup }: { node: string; setup: ReactNode }) {
  const [tab, setTab] = useState<TabId>("chat");
  const [visit, setVisit] = useState(0);
  useEffect(() => setVisit(0), [node]);
  const events = useVisibleEvents();
  const visits = useMemo(() => visitsOf(events, node), [events, node]);
  const entries = useMemo(() => agentEntries(events, node), [events, node]);
  const counts: Partial<Record<TabId, number>> = {
    diffs: entries.filter((one) => one.kind === "diff").length,
    tools: entries.filter((one) => one.kind === "call").length,
  };
  const tabs = TABS.map((one) => {
    const count = counts[one.id];
    return count ? { ...one, mark: <span className="count">{count}</span> } : one;
  });
  return (
    <div className="node-inspector" data-node={node}>
      <AgentHead node={node} />
      <PendingForState state={node} />
      {visits.length > 1 && (
        <VisitPager visits={visits} current={visit} choose={setVisit} withAll />
      )}
      <div className="node-tabs">
        <Tabs label={`About ${node}`} tabs={tabs} current={tab} onChange={setTab} />
      </div>
      <TabPanel id={tab}>
        {tab === "chat" && (
          <Chat
            key={node}
            node={node}
            entries={entriesIn(entries, visits, visit)}
            showDiffs={() => setTab("diffs")}
          />
        )}
        {tab === "node-prompts" && <Prompts key={node} state={node} within={visits[visit - 1]} />}
        {tab === "diffs" && <Diffs entries={entriesIn(entries, visits, visit)} />}
        {tab === "tools" && <ToolCalls entries={entriesIn(entries, visits, visit)} />}
        {tab === "usage" && <Usage node={node} events={events} />}
        {tab === "setup" && (
          <>
            <EditedRevision />
            <TeamChanges node={node} />
            <Setup node={node} events={events} form={setup} />
          </>
        )}
      </TabPanel>
    </div>
  );
}

/** The entries of one visit, from its beginning to that of the next one; of all if it is 0. */
function entriesIn(
  entries: readonly AgentEntry[],
  visits: readonly Visit[],
  visit: number,
): readonly AgentEntry[] {
  const shown = visits[visit - 1];
  if (!shown) return entries;
  const next = visits[visit]?.n ?? Infinity;
  return entries.filter((entry) => entry.n >= shown.n && entry.n < next);
}

function AgentHead({ node }: { node: string }) {
  const name = useSession((state) => state.fullGraph.states.get(node)?.name ?? "");
  const status = useSession((state) => state.overlay?.cardStatus?.get(node));
  const over = useRunStore((state) => isFinished(state.status));
  const now = useRunStore((state) => state.head.team.agents[node]?.status ?? "idle");
  const here = useRunStore((state) => Object.values(state.head.positions).includes(node));
  const summary = useRunStore((state) => state.view.team.agents[node]?.summary ?? "");
  return (
    <div className="node-head">
      <div className="row">
        <Mono kind="form-title truncate">{node}</Mono>
        <span className={`badge ${status?.status ?? ""}`} data-node-status={status?.status}>
          {status?.status === "waiting" ? "waits for you" : (status?.status ?? "not begun")}
        </span>
        <span className="spacer" />
        {!over && here && (
          <Button
            kind="small"
            title="End its turn; it waits for a message"
            onClick={() => void runStore.signal({ type: "Fire", event: "stop", state: node })}
          >
            <CircleStop className="icon" aria-hidden /> Stop
          </Button>
        )}
        {!over && (now === "failed" || now === "stalled" || now === "stopped") && !here && (
          <Button
            kind="small"
            title="Continue with the messages in its inbox"
            onClick={() => void runStore.signal({ type: "Tell", state: node, text: "Continue." })}
          >
            <CirclePlay className="icon" aria-hidden /> Continue
          </Button>
        )}
      </div>
      {name && name !== node && <p className="small muted">{name}</p>}
      {summary && summary !== "completed" && (
        <p className="small truncate" title={summary}>
          {summary}
        </p>
      )}
    </div>
  );
}

/** The agent's form in the pack, or the definition with which the run added it. */
function Setup({
  node,
  events,
  form,
}: {
  node: string;
  events: readonly RunEvent[];
  form: ReactNode;
}) {
  const by = useSession((state) => state.fullGraph.addedBy?.[node]);
  if (by === undefined) return form;
  const added = events.find((event) => (event.node as { id?: unknown } | undefined)?.id === node);
  return (
    <div className="pane-body" tabIndex={0} aria-label={`Setup of ${node}`}>
      <p className="notice hint">
        <Sprout className="icon" aria-hidden />
        <span>
          Added in this run{by ? ` by ${by}` : ""}. Save the graph as a new pack to keep it and
          change it.
        </span>
      </p>
      <Pre className="node-setup">{JSON.stringify(added?.node ?? {}, null, 2)}</Pre>
    </div>
  );
}
