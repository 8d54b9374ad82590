/** Generated graphs for benchmarks, the same for the same arguments. */

import type { Finding, Graph, State, Transition, TransitionKind } from "../src/api/types";
import { emptyState } from "../src/session/optimisticEdits";

function random(seed: number): () => number {
  let value = seed >>> 0;
  return () => {
    value = (value * 1664525 + 1013904223) >>> 0;
    return value / 2 ** 32;
  };
}

export function state(id: string, kind = "prompt", more: Partial<State> = {}): State {
  return { ...emptyState(id, kind), ...more };
}

export function arrow(
  source: string,
  label: string,
  target: string,
  kind: TransitionKind = "event",
  value: string | null = null,
): Transition {
  const id = `${source}|${label}|${target}`;
  return {
    id,
    source,
    target,
    label,
    kind,
    event: label.split("=")[0] ?? label,
    value,
    inert: false,
  };
}

export function graph(states: State[], transitions: Transition[], findings: Finding[] = []): Graph {
  const first = states[0]?.id ?? null;
  return {
    pack: 0,
    revision: 1,
    dialect: "bench",
    profile: "",
    name: "Bench",
    entry: first,
    entries: first === null ? [] : [{ state: first, key: "" }],
    states,
    transitions,
    groups: [],
    findings,
    outline: [],
    palette: [],
    undo: { can: false, label: "" },
    redo: { can: false, label: "" },
    readable: true,
    saved_at: "2026-01-01T00:00:00Z",
  };
}

export function finding(element: string, level: Finding["level"], message: string): Finding {
  return {
    code: "BN001",
    level,
    message,
    path: "",
    pointer: "",
    line: 0,
    element,
    hint: "",
    fix: null,
    walk: [],
    key: `BN001 ${element}`,
    cause: "",
    other_profile: false,
  };
}

const KINDS = [
  "prompt",
  "agent",
  "verification",
  "composition",
  "tool",
  "human",
  "branch",
  "closure",
];
const LABELS = ["Submit", "Approve", "Reject", "Retry", "Escalate", "next", "repeat", "handoff"];

/**
 * A graph of `count` states and one and a half times as many arrows; most lead forward, some back.
 */
export function madeUpGraph(count: number, placed: boolean): Graph {
  const next = random(count);
  const pick = <T>(list: T[]): T => list[Math.floor(next() * list.length)] as T;
  const columns = Math.ceil(Math.sqrt(count / 2.2));
  const states = Array.from({ length: count }, (_, index) =>
    state(`state_${index}`, pick(KINDS), {
      name: `Step number ${index}`,
      role: index % 3 ? "" : "reviewer",
      counts: index % 2 ? { tools: 1 + (index % 4) } : {},
      terminal: index % 97 === 96,
      x: placed ? Math.floor(index / columns) * 340 : null,
      y: placed ? (index % columns) * 130 : null,
    }),
  );
  const arrows = new Map<string, Transition>();
  const add = (from: number, label: string, to: number, kind: TransitionKind = "event") => {
    const made = arrow(`state_${from}`, label, `state_${to}`, kind);
    arrows.set(made.id, made);
  };
  for (let index = 1; index < count; index += 1)
    add(Math.max(0, index - 1 - Math.floor(next() * 12)), pick(LABELS), index);
  for (let extra = 0; extra < count / 2; extra += 1) {
    const from = Math.floor(next() * count);
    const jump = Math.floor(next() * 40) - 14;
    const to = Math.max(0, Math.min(count - 1, from + jump));
    add(from, pick(LABELS), to, next() < 0.1 ? "redirect" : "event");
  }
  const findings = states
    .filter((_, index) => index % 50 === 7)
    .map((one) => finding(`state:${one.id}`, "warning", `${one.id} is never left.`));
  return graph(states, [...arrows.values()], findings);
}

/** A small pack with one of everything that the canvas can draw. */
export function showcase(): Graph {
  const states = [
    state("intake", "prompt", { name: "Read the ticket", role: "triage", counts: { tools: 2 } }),
    state("classify", "prompt", {
      name: "What is it about?",
      role: "triage",
      counts: { artifacts: 1 },
    }),
    state("draft", "agent", {
      name: "Draft a patch",
      role: "author",
      counts: { tools: 5, checks: 1 },
      max_visits: 5,
    }),
    state("review", "verification", {
      name: "Review the patch",
      role: "reviewer",
      counts: { checks: 3 },
    }),
    state("fix", "agent", {
      name: "Fix what the review found",
      role: "author",
      counts: { tools: 5 },
    }),
    state("ask_owner", "human", { name: "Ask the owner" }),
    state("run_tests", "command", { name: "Run the tests", counts: { checks: 1 } }),
    state("research", "composition", { name: "Research in parallel", counts: { members: 3 } }),
    state("merge", "join", { name: "Merge findings" }),
    state("publish", "closure", { name: "Publish", terminal: true }),
    state("give_up", "terminal", { name: "Hand over to a person", terminal: true }),
    state("shared_rules", "section", { name: "Shared rules", stateless: true }),
  ];
  const arrows = [
    arrow("intake", "Read", "classify"),
    arrow("classify", "topic=code", "draft", "conditional", "code"),
    arrow("classify", "topic=question", "research", "conditional", "question"),
    arrow("classify", "topic=unclear", "ask_owner", "conditional", "unclear"),
    arrow("ask_owner", "Answer", "classify"),
    arrow("draft", "Submit", "review"),
    arrow("draft", "Resubmit", "review"),
    arrow("draft", "Think", "draft"),
    arrow("draft", "Look up", "draft"),
    arrow("review", "Reject", "fix"),
    arrow("fix", "Submit", "review"),
    arrow("review", "Approve", "run_tests"),
    arrow("run_tests", "passed", "publish"),
    arrow("run_tests", "failed", "fix"),
    arrow("research", "Done", "merge"),
    arrow("merge", "Summarise", "publish"),
    arrow("merge", "Not enough", "research"),
    arrow("draft", "max_visits", "give_up", "redirect"),
    arrow("review", "Escalate", "escalation"),
  ];
  const findings = [
    finding("transition:review|Escalate|escalation", "error", "“escalation” is not a state."),
    finding("state:review", "error", "'Escalate' leads nowhere."),
    finding("state:merge", "warning", "The loop over 'Not enough' has no limit."),
    finding("state:intake", "hint", "No description."),
  ];
  return graph(states, arrows, findings);
}
