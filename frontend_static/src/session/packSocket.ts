/** The pack's socket: others' revisions and who is looking at what. A lost ring costs nothing: the
 * greeting after a reconnect names the head, and what lies between is fetched. */

import type { PackMessage } from "../api";

export interface LiveWorld {
  revision(number: number): void;
  people(people: { name: string; element: string }[]): void;
  connected(yes: boolean): void;
}

const STALE_MS = 15_000;
const DELAYS = [500, 1_000, 2_000, 5_000, 10_000];

export class PackSocket {
  private socket: WebSocket | null = null;
  private failures = 0;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pack: string,
    private readonly world: LiveWorld,
  ) {
    this.open();
  }

  /** Tell the others which element this person looks at. */
  at(element: string): void {
    if (this.socket?.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ type: "at", element }));
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws/packs/${this.pack}/`);
    this.socket = socket;
    socket.onmessage = (event) => this.hear(JSON.parse(String(event.data)) as PackMessage);
    socket.onclose = () => this.lost();
    this.watch(socket);
  }

  /** Nothing for 15 seconds, not even a ping: the line is dead though nobody closed it. */
  private watch(socket: WebSocket): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => socket.close(), STALE_MS);
  }

  private hear(message: PackMessage): void {
    this.failures = 0;
    if (this.socket) this.watch(this.socket);
    if (message.type === "hello") {
      this.world.connected(true);
      this.world.revision(message.head);
    } else if (message.type === "revision") this.world.revision(message.number);
    else if (message.type === "presence") this.world.people(message.people);
  }

  private lost(): void {
    this.world.connected(false);
    clearTimeout(this.timer);
    if (this.closed) return;
    const delay = DELAYS[Math.min(this.failures, DELAYS.length - 1)] ?? 10_000;
    this.failures += 1;
    this.timer = setTimeout(() => this.open(), delay);
  }
}
