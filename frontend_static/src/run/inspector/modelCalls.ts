/** The model calls of a run: what was sent, in how many tries, and the reply. Pure. */

import { text, type RunEvent } from "../model/events";
import { readBody, readEffect, type WireMessage, type WireRequest } from "./wireRequest";

/** One HTTP request, as recorded; see `SentRequest` of the server. */
export interface Try {
  url: string;
  at: number;
  seconds: number;
  hash: string;
  body: unknown;
  status: number;
  error: string;
}

/**
 * The origin of a request. `sent`: the recorded bytes. `unrecorded`: an older log, or no answer
 * yet. `simulated`: nothing was sent, because a script, a rehearsal or a person answered.
 */
export type Source = "sent" | "unrecorded" | "simulated";

export interface ModelCall {
  /** The number of `model.asked`. */
  n: number;
  key: string;
  at: number;
  state: string;
  position: string;
  /** The call assesses an answer of the state. */
  judge: boolean;
  asked: RunEvent;
  prompt: RunEvent | null;
  reply: RunEvent | null;
  tries: readonly Try[];
  /** The previous call at the same position, or else of the same state. */
  before: ModelCall | null;
  /** The number of times in a row that exactly this was sent, from 1. */
  times: number;
}

/** All model calls of the log, in order. */
export function modelCalls(log: readonly RunEvent[]): ModelCall[] {
  const calls: ModelCall[] = [];
  const byKey = new Map<string, ModelCall>();
  const prompts = new Map<string, RunEvent>();
  const newest = new Map<string, ModelCall>();
  for (const event of log) {
    const key = text(event, "key");
    switch (event.type) {
      case "prompt.logged":
        prompts.set(key, event);
        break;
      case "model.asked": {
        const state = text(event, "state");
        const here = `${text(event, "position")} ${state}`;
        const call: ModelCall = {
          n: event.n,
          key,
          at: event.at,
          state,
          position: text(event, "position"),
          judge: (event.effect as { judge?: unknown } | undefined)?.judge === true,
          asked: event,
          prompt: prompts.get(key) ?? null,
          reply: null,
          tries: [],
          before: newest.get(here) ?? newest.get(` ${state}`) ?? null,
          times: 1,
        };
        calls.push(call);
        byKey.set(key, call);
        newest.set(here, call).set(` ${state}`, call);
        break;
      }
      case "model.replied":
        answered(byKey.get(key), event, event);
        break;
      case "run.paused":
        answered(byKey.get(text(event, "unanswered")), event, null);
        break;
    }
  }
  for (const call of calls)
    if (call.before && fingerprint(call) === fingerprint(call.before))
      call.times = call.before.times + 1;
  return calls;
}

function answered(call: ModelCall | undefined, event: RunEvent, reply: RunEvent | null): void {
  if (!call) return;
  call.tries = [...call.tries, ...triesOf(event)];
  call.reply = reply ?? call.reply;
}

/** The requests in an event. One without a body had the same as the one before it. */
function triesOf(event: RunEvent): Try[] {
  const sent = Array.isArray(event.sent) ? (event.sent as Partial<Try>[]) : [];
  let body: unknown = null;
  return sent.map((one) => {
    body = one.body ?? body;
    return {
      url: one.url ?? "",
      at: one.at ?? 0,
      seconds: one.seconds ?? 0,
      hash: one.hash ?? "",
      body,
      status: one.status ?? 0,
      error: one.error ?? "",
    };
  });
}

export function sourceOf(call: ModelCall): Source {
  if (call.tries.length > 0) return "sent";
  return call.reply && !text(call.reply, "provider") ? "simulated" : "unrecorded";
}

const requests = new WeakMap<object, WireRequest>();

/** The request that the model received last, or would have received. */
export function requestOf(call: ModelCall): WireRequest {
  const last = call.tries.at(-1);
  const of = (last ?? call.asked) as object;
  let request = requests.get(of);
  if (!request) {
    request = last ? readBody(last.body, last.url) : readEffect(call.asked.effect);
    requests.set(of, request);
  }
  return request;
}

/** The JSON Schema that the pack wants the answer to fit; null for none. */
export function schemaOf(asked: RunEvent): unknown {
  return (asked.effect as { schema?: unknown } | undefined)?.schema ?? null;
}

const fingerprints = new WeakMap<RunEvent, string>();

/** Equal for equal requests. The hash of what was sent, or else all that would be sent. */
export function fingerprint(call: ModelCall): string {
  const sent = call.tries.at(-1)?.hash;
  if (sent) return sent;
  let print = fingerprints.get(call.asked);
  if (print === undefined) {
    const { system, developer, messages, tools, schema, model, parameters } = (call.asked.effect ??
      {}) as Record<string, unknown>;
    print = JSON.stringify([system, developer, messages, tools, schema, model, parameters]);
    fingerprints.set(call.asked, print);
  }
  return print;
}

/** The number of leading messages that the previous request had too. */
export function knownMessages(call: ModelCall): number {
  if (!call.before) return 0;
  const [now, then] = [requestOf(call).messages, requestOf(call.before).messages];
  let count = 0;
  while (count < now.length && count < then.length && sameMessage(now[count]!, then[count]!))
    count += 1;
  return count;
}

/** Ids of calls are ignored: they only connect a call with its result. */
function sameMessage(one: WireMessage, other: WireMessage): boolean {
  return (
    one.role === other.role &&
    one.text === other.text &&
    one.calls.length === other.calls.length &&
    one.calls.every(
      (call, index) =>
        call.name === other.calls[index]!.name && call.arguments === other.calls[index]!.arguments,
    )
  );
}

export interface CallFigures {
  input: number;
  output: number;
  cost: number;
  seconds: number;
  tries: number;
}

/** Tokens, cost, seconds and tries of calls, summed. */
export function figuresOf(calls: readonly ModelCall[]): CallFigures {
  const sum: CallFigures = { input: 0, output: 0, cost: 0, seconds: 0, tries: 0 };
  for (const { reply, tries, at } of calls) {
    const usage = (reply?.usage ?? {}) as Record<string, unknown>;
    sum.input += amount(usage.input_tokens);
    sum.output += amount(usage.output_tokens);
    sum.cost += amount(usage.cost);
    sum.tries += tries.length;
    sum.seconds +=
      tries.length > 0
        ? tries.reduce((all, one) => all + one.seconds, 0)
        : Math.max(0, (reply?.at ?? at) - at);
  }
  return sum;
}

const amount = (value: unknown): number => (typeof value === "number" ? value : 0);
