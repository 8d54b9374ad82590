/**
 * Two states of xstate that alternate. Prints the processor microseconds of one transition:
 * `node xstate.mjs STEPS`.
 */

import { createActor, createMachine } from "xstate";

const steps = Number(process.argv[2]);
const machine = createMachine({
  initial: "ping",
  states: { ping: { on: { Next: "pong" } }, pong: { on: { Next: "ping" } } },
});
const actor = createActor(machine).start();
const before = process.cpuUsage();
for (let step = 0; step < steps; step++) actor.send({ type: "Next" });
const { user, system } = process.cpuUsage(before);
if (actor.getSnapshot().value !== (steps % 2 ? "pong" : "ping")) throw new Error("A step is lost.");
console.log((user + system) / steps);
