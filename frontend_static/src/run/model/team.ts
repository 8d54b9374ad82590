/**
 * The agents of a run and their status, derived from turns, handoffs and messages. States that are
 * not agents do not appear here.
 */

import { text, type RunEvent } from "./events";

export type AgentStatus = "idle" | "running" | "failed" | "stalled" | "stopped";

export interface AgentState {
  /** The agent's status, apart from open questions to a person. */
  status: AgentStatus;
  /** Handoffs and messages for the agent's next turn. */
  inbox: number;
  turn: number;
  /** Messages and handoffs that the current turn took from the inbox before the model answered. */
  takenFromInbox: number;
  /** The result of the last turn in one line. */
  summary: string;
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

export interface Team {
  agents: Readonly<Record<string, AgentState>>;
  /** Owed replies by the envelope that requested each. */
  owedReplies: Readonly<Record<string, { by: string; to: string }>>;
  runMode: string;
  globalMode: string;
}

export const EMPTY_TEAM: Team = { agents: {}, owedReplies: {}, runMode: "", globalMode: "" };

const NEW_AGENT: AgentState = {
  status: "idle",
  inbox: 0,
  turn: 0,
  takenFromInbox: 0,
  summary: "",
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** The team after an event. Pure; returns the same object if the event does not concern it. */
export function teamAfter(team: Team, event: RunEvent): Team {
  switch (event.type) {
    case "agent_graph.turn":
      return afterTurn(team, event);
    case "agent_graph.handoff":
      return updateAgent(team, text(event, "target"), (agent) => ({ inbox: agent.inbox + 1 }));
    case "agent_graph.message":
      return updateAgent(team, text(event, "node"), (agent) => ({
        status: agent.status === "running" ? "running" : "idle",
        inbox: agent.inbox + (text(event, "text").trim() ? 1 : 0),
      }));
    case "agent_graph.stalled":
      return updateAgent(team, text(event, "node"), () => ({ status: "stalled" }));
    case "agent_graph.stopped":
      return updateAgent(team, text(event, "node"), () => ({
        status: text(event, "standing") as AgentStatus,
      }));
    case "agent_graph.reply_owed":
      return { ...team, owedReplies: owedRepliesAfter(team.owedReplies, event) };
    case "agent_graph.mode":
      return { ...team, runMode: text(event, "run_mode"), globalMode: text(event, "global_mode") };
    case "model.replied":
      return afterReply(team, event);
    default:
      return team;
  }
}

function afterTurn(team: Team, event: RunEvent): Team {
  const figure = (name: string) => (typeof event[name] === "number" ? event[name] : 0);
  const next = updateAgent(team, text(event, "node"), (agent): Partial<AgentState> => {
    switch (text(event, "status")) {
      case "started":
        return {
          status: "running",
          inbox: 0,
          turn: figure("turn"),
          takenFromInbox: figure("messages") + figure("handoffs"),
        };
      case "completed":
        return { status: "idle", takenFromInbox: 0, summary: text(event, "summary") };
      case "failed":
        return {
          status: "failed",
          inbox: agent.inbox + agent.takenFromInbox,
          takenFromInbox: 0,
          summary: text(event, "error"),
        };
      default:
        return { status: "idle", inbox: agent.inbox + agent.takenFromInbox, takenFromInbox: 0 };
    }
  });
  const [runMode, globalMode] = [text(event, "run_mode"), text(event, "global_mode")];
  return runMode && globalMode ? { ...next, runMode, globalMode } : next;
}

/** Only states that are agents are counted. */
function afterReply(team: Team, event: RunEvent): Team {
  const id = text(event, "state");
  if (!Object.hasOwn(team.agents, id)) return team;
  const usage = (event.usage ?? {}) as Record<string, unknown>;
  const figure = (field: string) => (typeof usage[field] === "number" ? usage[field] : 0);
  return updateAgent(team, id, (agent) => ({
    takenFromInbox: text(event, "error") ? agent.takenFromInbox : 0,
    modelCalls: agent.modelCalls + 1,
    inputTokens: agent.inputTokens + figure("input_tokens"),
    outputTokens: agent.outputTokens + figure("output_tokens"),
    cost: agent.cost + figure("cost"),
  }));
}

function owedRepliesAfter(owed: Team["owedReplies"], event: RunEvent): Team["owedReplies"] {
  const { [text(event, "envelope")]: _settled, ...rest } = owed;
  if (!event.open) return rest;
  return { ...rest, [text(event, "envelope")]: { by: text(event, "by"), to: text(event, "to") } };
}

function updateAgent(
  team: Team,
  id: string,
  how: (agent: AgentState) => Partial<AgentState>,
): Team {
  if (!id) return team;
  const agent = (Object.hasOwn(team.agents, id) && team.agents[id]) || NEW_AGENT;
  return { ...team, agents: { ...team.agents, [id]: { ...agent, ...how(agent) } } };
}
