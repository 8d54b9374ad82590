/** The wire shapes of `/api/v1/runs/…` and of the two sockets. */

import type { Json } from "./types";

export interface Run {
  id: string;
  pack: number | string;
  pack_name: string;
  revision: number;
  profile: string;
  driver: string;
  status: string;
  reason: string;
  last: number;
  owner: string;
  created_at: string;
  finished_at: string | null;
  path: string[];
}

export interface NewRun {
  pack: number | string;
  revision?: number;
  driver: string;
  inputs?: Record<string, Json>;
  seed?: number;
  script?: Json;
  budget?: Record<string, number>;
  delay_ms?: number;
  paused?: boolean;
  profile?: string;
}

/** One numbered thing that happened in a run; the other fields depend on `type`. */
export interface RunEvent {
  n: number;
  /** Seconds since 1970. */
  at: number;
  type: string;
  [field: string]: unknown;
}

export interface EventPage {
  events: RunEvent[];
  last: number;
  status: string;
}

export interface Artifact {
  name: string;
  type: string;
  value: Json;
  n: number;
}

export type Signal =
  | { type: "pause" | "resume" | "step" | "cancel" }
  | {
      type: "Approve";
      key: string;
      approve?: boolean;
      event?: string;
      text?: string;
      structured?: Json;
    }
  | { type: "Reply"; key: string; text?: string; structured?: Json; tool_calls?: Json }
  | { type: "Fire"; event: string };

/** What a person can answer now, as `pending/` lists it. */
export type Pending = { key: string; type?: string; state?: string; [field: string]: Json | undefined };

export type RunMessage =
  | { type: "hello"; last: number; status: string }
  | { type: "events"; events: RunEvent[] }
  | { type: "delta"; key: string; text: string }
  | { type: "behind"; after: number }
  | { type: "ping"; at?: string };

export interface Person {
  name: string;
  element: string;
}

export type PackMessage =
  | { type: "hello"; head: number }
  | { type: "revision"; number: number; author: string }
  | { type: "presence"; people: Person[] }
  | { type: "ping" };
