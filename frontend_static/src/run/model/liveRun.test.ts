import { describe, expect, test } from "vitest";
import type { RunEvent } from "./events";
import { EventBuffer } from "./eventBuffer";
import type { Delta } from "./partialOutput";
import {
  LiveRun,
  SILENCE_MS,
  type EventPage,
  type LiveRunListener,
  type LiveRunHost,
  type Socket,
} from "./liveRun";

const event = (n: number, type = "state.left"): RunEvent => ({ n, at: n, type });
const range = (from: number, to: number): RunEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

describe("the event buffer", () => {
  const cases: [string, number[][], number[], boolean][] = [
    ["in order", [[1, 2], [3]], [1, 2, 3], false],
    ["shuffled in one batch", [[3, 1, 2]], [1, 2, 3], false],
    [
      "the same twice",
      [
        [1, 2],
        [1, 2, 3],
      ],
      [1, 2, 3],
      false,
    ],
    ["a hole stays open", [[1], [3, 4]], [1], true],
    ["a hole is filled later", [[1], [3, 4], [2]], [1, 2, 3, 4], false],
  ];
  test.each(cases)("%s", (_name, batches, log, gap) => {
    const inbox = new EventBuffer();
    const answers = batches.map((batch) => inbox.accept(batch.map((n) => event(n))));
    expect(inbox.log.map((one) => one.n)).toEqual(log);
    expect(answers.at(-1)?.gap).toBe(gap);
    expect(answers.flatMap((one) => one.fresh).map((one) => one.n)).toEqual(log);
  });
});

class World implements LiveRunHost {
  log: RunEvent[] = [];
  status = "running";
  down = false;
  time = 0;
  fetches: number[] = [];
  sockets: (Socket & { after: number; closed: boolean })[] = [];
  private timers: { at: number; action: () => void }[] = [];

  fetchEvents(after: number, limit: number): Promise<EventPage> {
    this.fetches.push(after);
    if (this.down) return Promise.reject(new Error("down"));
    const events = this.log.filter((one) => one.n > after).slice(0, limit);
    return Promise.resolve({ events, last: this.log.length, status: this.status });
  }

  open(after: number): Socket {
    const socket = {
      after,
      closed: false,
      onmessage: null,
      onclose: null,
      close(this: { closed: boolean }) {
        this.closed = true;
      },
    };
    this.sockets.push(socket);
    return socket;
  }

  now = () => this.time;

  later(action: () => void, milliseconds: number): () => void {
    const timer = { at: this.time + milliseconds, action };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }

  async pass(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    const due = this.timers.filter((one) => one.at <= this.time);
    this.timers = this.timers.filter((one) => one.at > this.time);
    for (const one of due) one.action();
    await settled();
  }

  async say(message: object): Promise<void> {
    this.sockets.at(-1)?.onmessage?.({ data: JSON.stringify(message) });
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

class Seen implements LiveRunListener {
  numbers: number[] = [];
  said: string[] = [];
  staleSince: number | null = null;
  problems = 0;
  missed: [number, string][] = [];
  events = (fresh: readonly RunEvent[]) => this.numbers.push(...fresh.map((one) => one.n));
  missing = (count: number, status: string) => this.missed.push([count, status]);
  delta = ({ key, text }: Delta) => this.said.push(`${key}:${text}`);
  stale = (since: number | null) => (this.staleSince = since);
  problem = () => (this.problems += 1);
}

async function started(log: RunEvent[], status = "running") {
  const world = new World();
  world.log = log;
  world.status = status;
  const listener = new Seen();
  const live = new LiveRun(world, listener);
  await live.start();
  return { world, seen: listener, live };
}

describe("following a run", () => {
  test("joining late loads the log in pages and follows after its last number", async () => {
    const { world, seen } = await started(range(1, 8500));
    expect(seen.numbers).toEqual(range(1, 8500).map((one) => one.n));
    expect(world.fetches).toEqual([0, 1000, 6000]);
    expect(world.sockets.map((one) => one.after)).toEqual([8500]);
  });

  test("before the events of each page, it is known how many are missing", async () => {
    const { world, seen } = await started(range(1, 8500), "paused");
    expect(seen.missed).toEqual([
      [7500, "paused"],
      [2500, "paused"],
      [0, "paused"],
    ]);
    await world.say({ type: "events", events: range(8501, 8502) });
    expect(seen.missed.at(-1)).toEqual([0, "paused"]);
  });

  test("the next page is requested before the events of this one are passed on", async () => {
    const world = new World();
    world.log = range(1, 2500);
    const order: string[] = [];
    const fetch = world.fetchEvents.bind(world);
    world.fetchEvents = (after, limit) => {
      order.push(`fetch after ${after}`);
      return fetch(after, limit);
    };
    const listener = new Seen();
    listener.events = (fresh) => {
      order.push(`${fresh.length} events`);
      return 0;
    };
    await new LiveRun(world, listener).start();
    expect(order).toEqual(["fetch after 0", "fetch after 1000", "1000 events", "1500 events"]);
  });

  test("a run of which a page cannot be fetched gets the others from the socket", async () => {
    const world = new World();
    world.log = range(1, 2500);
    const fetch = world.fetchEvents.bind(world);
    world.fetchEvents = (after, limit) => {
      world.down = after > 0;
      return fetch(after, limit);
    };
    const listener = new Seen();
    await new LiveRun(world, listener).start();
    expect([listener.problems, listener.missed.at(-1)]).toEqual([1, [1500, "running"]]);
    await world.say({ type: "events", events: range(1001, 2500) });
    expect(listener.missed.at(-1)).toEqual([0, "running"]);
  });

  test("a gap on the socket is fetched and no event is passed on twice", async () => {
    const { world, seen } = await started(range(1, 3));
    world.log = range(1, 6);
    await world.say({ type: "events", events: [event(6)] });
    await world.say({ type: "events", events: range(4, 6) });
    expect(seen.numbers).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a message that it is behind makes it catch up over HTTP", async () => {
    const { world, seen } = await started(range(1, 3));
    world.log = range(1, 5);
    await world.say({ type: "behind", after: 3 });
    expect(seen.numbers).toEqual([1, 2, 3, 4, 5]);
  });

  test("a greeting with a higher number but no events makes it fetch", async () => {
    const { world, seen } = await started(range(1, 3));
    world.log = range(1, 4);
    await world.say({ type: "hello", last: 4, status: "running" });
    await world.pass(1000);
    expect(seen.numbers).toEqual([1, 2, 3, 4]);
  });

  test("deltas are passed on and not added to the log", async () => {
    const { world, seen, live } = await started([]);
    await world.say({ type: "delta", key: "k", begun: 1, at: 0, text: "Hel" });
    expect([seen.said, live.buffer.last]).toEqual([["k:Hel"], 0]);
  });

  test("a finished run opens no socket", async () => {
    const { world } = await started([event(1, "run.finished")], "completed");
    expect(world.sockets).toHaveLength(0);
  });

  test("the end of the run closes the socket without calling the view stale", async () => {
    const { world, seen } = await started(range(1, 1));
    await world.say({ type: "events", events: [event(2, "run.finished")] });
    await world.pass(SILENCE_MS * 2);
    expect(world.sockets[0]?.closed).toBe(true);
    expect(seen.staleSince).toBeNull();
  });
});

describe("a failing connection", () => {
  test("a lost socket is stale at once and reconnects after the last number", async () => {
    const { world, seen } = await started(range(1, 3));
    world.time = 4000;
    await world.say({ type: "ping", at: 0 });
    world.sockets[0]?.onclose?.();
    expect(seen.staleSince).toBe(4000);
    world.log = range(1, 5);
    await world.pass(500);
    expect(seen.numbers).toEqual([1, 2, 3, 4, 5]);
    expect(world.sockets.map((one) => one.after)).toEqual([3, 5]);
    expect(seen.staleSince).toBeNull();
  });

  test("five seconds without a message are reported as stale and a new socket is tried", async () => {
    const { world, seen } = await started(range(1, 1));
    world.down = true;
    await world.pass(SILENCE_MS);
    expect(seen.staleSince).toBe(0);
    expect(world.sockets[0]?.closed).toBe(true);
    await world.pass(500);
    expect(world.sockets).toHaveLength(2);
  });

  test("the delay grows with each failure, until a message arrives", async () => {
    const { world } = await started([]);
    world.down = true;
    world.sockets[0]?.onclose?.();
    await world.pass(500);
    world.sockets[1]?.onclose?.();
    await world.pass(500);
    expect(world.sockets).toHaveLength(2);
    await world.pass(500);
    expect(world.sockets).toHaveLength(3);
  });

  test("the late close of an old socket does not affect the new one", async () => {
    const { world, seen } = await started(range(1, 1));
    await world.pass(SILENCE_MS);
    await world.pass(500);
    await world.say({ type: "ping", at: 0 });
    expect([world.sockets.length, seen.staleSince]).toEqual([2, null]);
    world.sockets[0]?.onclose?.();
    expect(seen.staleSince).toBeNull();
    await world.pass(SILENCE_MS - 1000);
    expect(world.sockets).toHaveLength(2);
    expect(world.sockets[1]?.closed).toBe(false);
  });

  test("no socket is opened after stop", async () => {
    const { world, live } = await started([]);
    world.sockets[0]?.onclose?.();
    live.stop();
    await world.pass(60_000);
    expect(world.sockets).toHaveLength(1);
  });
});
