/** Inputs and outputs of a stage: the parts of stud-cli's contracts that are used here. */
export type Values = Record<string, unknown>;
export type Verdict = "ok" | "retry" | "skip" | "fail";

export interface NextResult {
  readonly nextStages: readonly string[];
  readonly execution: "sequential" | "parallel";
  readonly join?: string;
}

export interface Host {
  readonly session?: {
    readonly id?: string;
    stateSlot?(id: string): {
      read(): Promise<Readonly<Values> | null>;
      write(value: Values): Promise<void>;
    };
  };
}

export interface Stage {
  readonly id: string;
  readonly body: string;
  readonly allowedTools?: readonly string[];
  readonly turnCap: number;
  readonly completionTool: string;
  readonly completionSchema: Readonly<Values>;
  readonly setup: (ctx: Values, host: Host) => Promise<void>;
  readonly init: (ctx: Readonly<Values>) => string;
  readonly checkGate: (ctx: Readonly<Values>) => "proceed" | "retry" | "skip";
  readonly assert: (ctx: Readonly<Values>, act: Act) => Verdict;
  readonly exit: (ctx: Readonly<Values>, end: End, host: Host) => Promise<void>;
  readonly next: (ctx: Readonly<Values>) => Promise<NextResult>;
}

/** The result of Act. `parsed` is set if the host passes the payload of the completion tool. */
interface Act {
  readonly capHit: boolean;
  readonly parsed?: unknown;
}

interface End {
  readonly assertOutcome: Verdict;
}

interface Condition {
  readonly path?: string;
  readonly op?: string;
  readonly value?: unknown;
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly not?: Condition;
}

interface Source {
  readonly from: string;
  readonly default?: unknown;
  readonly optional?: boolean;
}

/** One stage: the values of its file and of its entry in the pipeline. */
export interface Definition {
  readonly id: string;
  readonly name: string;
  readonly body: string;
  readonly allowedTools?: readonly string[];
  readonly turnCap: number;
  readonly completionTool: string;
  readonly completionSchema: Readonly<Values>;
  readonly resolutionPolicy: string;
  readonly setup: readonly (readonly [name: string, source: Source])[];
  readonly gate?: { readonly when: Condition; readonly else: string };
  readonly assert: readonly {
    readonly unless: Condition;
    readonly verdict: "retry" | "fail" | "skip";
  }[];
  readonly slot: readonly (readonly [name: string, path: string])[];
  readonly output: readonly (readonly [name: string, path: string])[];
  readonly maxVisits?: number;
  readonly cases: readonly { readonly when: Condition; readonly then: NextResult }[];
  readonly otherwise: NextResult | null;
}

/** Data of one run that stages share. */
interface Memory {
  input: Values;
  slot: Values;
  visits: Record<string, number>;
  results: Record<string, Values>;
  /** Stage → the stages whose results it gets, for a host that passes none. */
  sources: Record<string, readonly string[]>;
}

const memory: Memory = { input: {}, slot: {}, visits: {}, results: {}, sources: {} };

/** Reset the data, and store the inputs of a new run. */
export function begin(input: Values): void {
  Object.assign(memory, { input, slot: {}, visits: {}, results: {}, sources: {} });
}

type Step = string | number;

function steps(path: string): Step[] {
  const found: Step[] = [];
  for (const [, name, index] of path.matchAll(/(?:^|\.)([^.[\]\s]+)|\[(\d+)\]/g)) {
    found.push(name ?? Number(index));
  }
  return found;
}

/** The value at a path, or undefined. Prototypes are never searched. */
function at(value: unknown, path: readonly Step[]): unknown {
  let here = value;
  for (const step of path) {
    if (here === null || typeof here !== "object" || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<Step, unknown>)[step];
  }
  return here;
}

function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") {
    return false;
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equal(at(one, [key]), at(other, [key])))
  );
}

function ordered(one: unknown, other: unknown): number | undefined {
  if (typeof one !== typeof other || (typeof one !== "number" && typeof one !== "string")) {
    return undefined;
  }
  if (one === other) return 0;
  return one < (other as typeof one) ? -1 : 1;
}

function compares(op: string, found: unknown, value: unknown): boolean {
  const order = ordered(found, value);
  switch (op) {
    case "equals":
      return found !== undefined && equal(found, value);
    case "notEquals":
      return found === undefined || !equal(found, value);
    case "in":
      return (
        found !== undefined && Array.isArray(value) && value.some((item) => equal(found, item))
      );
    case "exists":
      return (found !== undefined) === (value !== false);
    case "lt":
      return order !== undefined && order < 0;
    case "lte":
      return order !== undefined && order <= 0;
    case "gt":
      return order !== undefined && order > 0;
    case "gte":
      return order !== undefined && order >= 0;
    default:
      return false;
  }
}

/** Evaluate a condition. If it has several of all, any and not, all must be true. */
function holds(condition: Condition, scope: Values): boolean {
  if (condition.path !== undefined) {
    return compares(condition.op ?? "", at(scope, steps(condition.path)), condition.value);
  }
  const verdicts = [
    ...(condition.all ? [condition.all.every((each) => holds(each, scope))] : []),
    ...(condition.any ? [condition.any.some((each) => holds(each, scope))] : []),
    ...(condition.not ? [!holds(condition.not, scope)] : []),
  ];
  return verdicts.length > 0 && verdicts.every(Boolean);
}

function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value as string | number | boolean);
}

const PLACEHOLDER =
  /(?<!\$)\{\{[ \t]*(ctx|stage)((?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])+)[ \t]*\}\}/g;

/** Render the prompt in one pass: inserted values are not scanned again. */
function render(stage: Definition, ctx: Readonly<Values>): string {
  const roots: Values = { ctx, stage: { id: stage.id, name: stage.name } };
  return stage.body.replaceAll(PLACEHOLDER, (_, root: string, path: string) =>
    text(at(roots[root], steps(path))),
  );
}

function scopeOf(stage: Definition, ctx: Readonly<Values>): Values {
  return {
    ctx,
    result: memory.results[stage.id] ?? {},
    slot: memory.slot,
    run: {
      input: memory.input,
      workflowRunId: ctx["workflowRunId"],
      visits: memory.visits,
    },
  };
}

async function recall(host: Host, machine: string): Promise<void> {
  const stored = await host.session?.stateSlot?.(machine).read();
  const data = stored?.["data"];
  if (data !== null && typeof data === "object" && Object.keys(memory.slot).length === 0) {
    memory.slot = { ...(data as Values) };
  }
}

function handedOver(stage: Definition): unknown[] {
  return (memory.sources[stage.id] ?? []).map((source) => memory.results[source] ?? {});
}

function fill(stage: Definition, ctx: Values, host: Host): void {
  const upstream = ctx["upstream"] ?? handedOver(stage);
  const session = host.session?.id ?? "session";
  ctx["workflowRunId"] ??= session;
  ctx["stageExecutionId"] ??= `${session}::${stage.id}::${memory.visits[stage.id]}`;
  const scope: Values = { ...scopeOf(stage, ctx), upstream };
  for (const [name, source] of stage.setup) {
    const value = at(scope, steps(source.from));
    if (value === undefined && source.default === undefined && source.optional !== true) {
      throw new Error(`Stage '${stage.id}' needs ctx.${name}, and ${source.from} has no value.`);
    }
    ctx[name] = value ?? source.default ?? null;
  }
  ctx["upstream"] = upstream;
}

function gate(stage: Definition, ctx: Readonly<Values>): "proceed" | "retry" | "skip" {
  if (stage.gate === undefined || holds(stage.gate.when, scopeOf(stage, ctx))) return "proceed";
  if (stage.gate.else === "skip" || stage.resolutionPolicy === "skip") return "skip";
  if (stage.resolutionPolicy === "fail") {
    throw new Error(`The gate of stage '${stage.id}' is closed.`);
  }
  return "retry";
}

function judge(stage: Definition, ctx: Readonly<Values>, act: Act): Verdict {
  const result: Values = { capHit: act.capHit, attemptCount: 1 };
  if (act.parsed !== undefined) result["parsed"] = act.parsed;
  memory.results[stage.id] = result;
  const scope = scopeOf(stage, ctx);
  const failed = stage.assert.find((check) => !holds(check.unless, scope));
  const verdict = failed?.verdict ?? (act.capHit ? "retry" : "ok");
  result["verdict"] = verdict;
  return verdict;
}

function kept(pairs: readonly (readonly [string, string])[], scope: Values): Values {
  const found = pairs.map(([name, path]) => [name, at(scope, steps(path))] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** Set the sources: this stage for a successor, its branches for a join, none for a branch. */
function announce(stage: Definition, next: NextResult): void {
  const branches = next.nextStages.filter((each) => each !== next.join);
  for (const each of branches) {
    memory.sources[each] = next.execution === "parallel" ? [] : [stage.id];
  }
  if (next.join !== undefined) memory.sources[next.join] = branches;
}

/** A definition with the hooks of stud-cli's executor. */
export function stageOf(stage: Definition, machine: string): Stage {
  return {
    id: stage.id,
    body: stage.body,
    ...(stage.allowedTools === undefined ? {} : { allowedTools: stage.allowedTools }),
    turnCap: stage.turnCap,
    completionTool: stage.completionTool,
    completionSchema: stage.completionSchema,
    async setup(ctx, host) {
      await recall(host, machine);
      const visits = (memory.visits[stage.id] ?? 0) + 1;
      if (stage.maxVisits !== undefined && visits > stage.maxVisits) {
        throw new Error(`Stage '${stage.id}' was entered more than ${stage.maxVisits} times.`);
      }
      memory.visits[stage.id] = visits;
      fill(stage, ctx, host);
    },
    init: (ctx) => render(stage, ctx),
    checkGate: (ctx) => gate(stage, ctx),
    assert: (ctx, act) => judge(stage, ctx, act),
    async exit(ctx, end, host) {
      const result = { ...memory.results[stage.id], verdict: end.assertOutcome };
      const scope = { ...scopeOf(stage, ctx), result };
      const output = kept(stage.output, scope);
      memory.results[stage.id] = stage.output.length > 0 ? { ...result, output } : result;
      Object.assign(memory.slot, kept(stage.slot, scope));
      const slot = host.session?.stateSlot?.(machine);
      await slot?.write({ slotVersion: "1.0.0", data: memory.slot });
    },
    next(ctx) {
      const scope = scopeOf(stage, ctx);
      const taken = stage.cases.find((each) => holds(each.when, scope))?.then ?? stage.otherwise;
      if (taken === null) {
        return Promise.reject(new Error(`No case of stage '${stage.id}' is true.`));
      }
      announce(stage, taken);
      return Promise.resolve(taken);
    },
  };
}
