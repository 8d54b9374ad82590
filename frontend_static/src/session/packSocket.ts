/**
 * The pack's WebSocket: revisions and proposals by other users and their presence. A lost message is harmless
 * because the greeting after a reconnect names the head, and the session fetches what it lacks.
 */

import type { PackMessage } from "../api";
import type { FolderWrite } from "./state";
import { siteUrl } from "../ui/siteUrl";

export interface PackSocketHandlers {
  revision(number: number): void;
  written(folder: FolderWrite): void;
  proposals(changes: number): void;
  people(people: { name: string; element: string }[]): void;
  connected(yes: boolean): void;
}

const STALE_MS = 5_000;
const RECONNECT_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000];

export class PackSocket {
  private socket: WebSocket | null = null;
  private failures = 0;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pack: string,
    private readonly handlers: PackSocketHandlers,
  ) {
    this.open();
  }

  /** Send the element that this user is looking at to the other users. */
  sendElement(element: string): void {
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
    const socket = new WebSocket(
      `${scheme}://${location.host}${siteUrl(`/ws/packs/${this.pack}/`)}`,
    );
    this.socket = socket;
    socket.onmessage = (event) => this.handleMessage(JSON.parse(String(event.data)) as PackMessage);
    socket.onclose = () => this.handleClose();
    this.restartSilenceTimer(socket);
  }

  /**
   * Give the socket up after five seconds without a message, including pings. A dead connection
   * answers no closing handshake, so the browser's own `close` event would come much later.
   */
  private restartSilenceTimer(socket: WebSocket): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
      this.handleClose();
    }, STALE_MS);
  }

  private handleMessage(message: PackMessage): void {
    this.failures = 0;
    if (this.socket) this.restartSilenceTimer(this.socket);
    if (message.type === "hello") {
      this.handlers.connected(true);
      this.handlers.revision(message.head);
    } else if (message.type === "revision") this.handlers.revision(message.number);
    else if (message.type === "written") this.handlers.written(message);
    else if (message.type === "proposals") this.handlers.proposals(message.changes);
    else if (message.type === "presence") this.handlers.people(message.people);
  }

  private handleClose(): void {
    this.handlers.connected(false);
    clearTimeout(this.timer);
    if (this.closed) return;
    const delay =
      RECONNECT_DELAYS_MS[Math.min(this.failures, RECONNECT_DELAYS_MS.length - 1)] ?? 10_000;
    this.failures += 1;
    this.timer = setTimeout(() => this.open(), delay);
  }
}
