/**
 * How everybody in a team stands: folded from the turns, handoffs and words of a run. A state that
 * takes no turns has none of this.
 */

import { text, type RunEvent } from "./events";

export type Standing = "idle" | "running" | "failed" | "stalled" | "stopped";

export interface Agent {
  /** What it is while nobody asks a person on its behalf. */
  standing: Standing;
  /** Handoffs and messages that wait for its next turn. */
  inbox: number;
  turn: number;
  /** What the turn under way took in and the model has not answered yet. */
  taking: number;
  /** What its last turn came to, in a line. */
  summary: string;
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

export interface Team {
  agents: Readonly<Record<string, Agent>>;
  /** Replies that are owed, by the envelope that asked for one. */
  owed: Readonly<Record<string, { by: string; to: string }>>;
  runMode: string;
  globalMode: string;
}

export const NO_TEAM: Team = { agents: {}, owed: {}, runMode: "", globalMode: "" };

const NEW: Agent = {
  standing: "idle",
  inbox: 0,
  turn: 0,
  taking: 0,
  summary: "",
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** The team after one more event. Pure; the same object where the event says nothing about it. */
export function standingAfter(team: Team, event: RunEvent): Team {
  switch (event.type) {
    case "agent_graph.turn":
      return turned(team, event);
    case "agent_graph.handoff":
      return change(team, text(event, "target"), (agent) => ({ inbox: agent.inbox + 1 }));
    case "agent_graph.message":
      return change(team, text(event, "node"), (agent) => ({
        standing: agent.standing === "running" ? "running" : "idle",
        inbox: agent.inbox + (text(event, "text").trim() ? 1 : 0),
      }));
    case "agent_graph.stalled":
      return change(team, text(event, "node"), () => ({ standing: "stalled" }));
    case "agent_graph.stopped":
      return change(team, text(event, "node"), () => ({ standing: text(event, "standing") as Standing }));
    case "agent_graph.reply_owed":
      return { ...team, owed: owedAfter(team.owed, event) };
    case "agent_graph.mode":
      return { ...team, runMode: text(event, "run_mode"), globalMode: text(event, "global_mode") };
    case "model.replied":
      return replied(team, event);
    default:
      return team;
  }
}

function turned(team: Team, event: RunEvent): Team {
  const figure = (name: string) => (typeof event[name] === "number" ? event[name] : 0);
  const next = change(team, text(event, "node"), (agent): Partial<Agent> => {
    switch (text(event, "status")) {
      case "started":
        return { standing: "running", inbox: 0, turn: figure("turn"), taking: figure("messages") + figure("handoffs") };
      case "completed":
        return { standing: "idle", taking: 0, summary: text(event, "summary") };
      case "failed":
        return { standing: "failed", inbox: agent.inbox + agent.taking, taking: 0, summary: text(event, "error") };
      default:
        return { standing: "idle", inbox: agent.inbox + agent.taking, taking: 0 };
    }
  });
  const [runMode, globalMode] = [text(event, "run_mode"), text(event, "global_mode")];
  return runMode && globalMode ? { ...next, runMode, globalMode } : next;
}

/** Whoever takes turns is known by then; replies elsewhere are nobody's. */
function replied(team: Team, event: RunEvent): Team {
  const id = text(event, "state");
  if (!(id in team.agents)) return team;
  const usage = (event.usage ?? {}) as Record<string, unknown>;
  const figure = (field: string) => (typeof usage[field] === "number" ? usage[field] : 0);
  return change(team, id, (agent) => ({
    taking: text(event, "error") ? agent.taking : 0,
    modelCalls: agent.modelCalls + 1,
    inputTokens: agent.inputTokens + figure("input_tokens"),
    outputTokens: agent.outputTokens + figure("output_tokens"),
    cost: agent.cost + figure("cost"),
  }));
}

function owedAfter(owed: Team["owed"], event: RunEvent): Team["owed"] {
  const { [text(event, "envelope")]: _settled, ...rest } = owed;
  if (!event.open) return rest;
  return { ...rest, [text(event, "envelope")]: { by: text(event, "by"), to: text(event, "to") } };
}

function change(team: Team, id: string, how: (agent: Agent) => Partial<Agent>): Team {
  if (!id) return team;
  const agent = team.agents[id] ?? NEW;
  return { ...team, agents: { ...team.agents, [id]: { ...agent, ...how(agent) } } };
}
