/** Requests to `/api/v1/`: JSON in, JSON out, and a typed error for every failure. */

import { siteUrl } from "../ui/siteUrl";

export const ROOT = siteUrl("/api/v1/");

/**
 * A request that the server refused. The body is `{"code","message","hint","where"}` plus extras.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly where: string,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The request or its answer was lost, so the outcome is unknown. */
export class Unreachable extends Error {
  constructor(readonly reason: string) {
    super("The server cannot be reached.");
    this.name = "Unreachable";
  }
}

export type Query = Record<
  string,
  string | number | boolean | null | undefined | readonly string[]
>;
export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** The answer to a request. The demo page has another one than the server's. */
type Answerer = (address: string, init: RequestInit) => Promise<Response>;
let answerer: Answerer = (address, init) => fetch(address, init);

/** Answer every request in another way than by the server. */
export function answerRequests(next: Answerer): void {
  answerer = next;
}

const nextAnswer = new Set<() => void>();

/** Call once when the server next answers a request, also with a refusal. */
export function onNextAnswer(act: () => void): void {
  nextAnswer.add(act);
}

function answered(): void {
  const waiting = [...nextAnswer];
  nextAnswer.clear();
  for (const act of waiting) act();
}

/** A path below `/api/v1/` with its query; empty values are left out. */
export function address(path: string, query: Query = {}): string {
  const present = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  const pairs = present.flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [key, String(one)]),
  );
  const text = new URLSearchParams(pairs).toString();
  return ROOT + path + (text ? `?${text}` : "");
}

/** The token that changing requests send: of the cookie, else of a form on the page. */
export function csrf(): string {
  const name = document.documentElement.dataset.csrfCookie ?? "csrftoken";
  const found = document.cookie.split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  if (found) return decodeURIComponent(found.slice(name.length + 1));
  return document.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
}

/** Asks the person to sign in again, on pages that can. Requests wait until it resolves. */
let askSignIn: (() => Promise<void>) | null = null;
let signingIn: Promise<void> | null = null;

export function onSessionEnd(ask: () => Promise<void>): void {
  askSignIn = ask;
}

function signInAgain(): Promise<void> | null {
  if (!askSignIn) return null;
  signingIn ??= askSignIn().finally(() => (signingIn = null));
  return signingIn;
}

/** Milliseconds after which a request counts as lost. A POST may call a model or a tool. */
const LIMITS: Record<Method, number> = {
  GET: 30_000,
  PATCH: 30_000,
  PUT: 30_000,
  DELETE: 30_000,
  POST: 300_000,
};

function request(method: Method, body: unknown, signal: AbortSignal, etag?: string): RequestInit {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (etag) headers["If-Match"] = etag;
  if (method !== "GET") headers["X-CSRFToken"] = csrf();
  const init: RequestInit = { method, headers, credentials: "same-origin", signal };
  if (body instanceof FormData) init.body = body;
  else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  return init;
}

interface Options {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  /** It is sent a second time. */
  again?: boolean;
  /** Milliseconds after which the request counts as lost. */
  limit?: number;
  /** Sent as `If-Match`: if the resource has another ETag, the server answers 412. */
  etag?: string;
}

/** A response body with its ETag. Send the ETag with the next change. */
export interface Tagged<T> {
  value: T;
  etag: string;
}

/** Send a request. Throws ApiError for a refusal and Unreachable if no answer came. */
export const call = async <T>(method: Method, path: string, options: Options = {}): Promise<T> =>
  (await tagged<T>(method, path, options)).value;

/** Send a request and return the body with its ETag. */
export async function tagged<T>(
  method: Method,
  path: string,
  options: Options = {},
): Promise<Tagged<T>> {
  let response: Response;
  try {
    const limit = AbortSignal.timeout(options.limit ?? LIMITS[method]);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const init = request(method, options.body, signal, options.etag);
    response = await answerer(address(path, options.query), init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const late = error instanceof DOMException && error.name === "TimeoutError";
    // Reading is repeated once. The sender of a change decides whether it is sent again.
    if (late && method === "GET" && !options.again)
      return tagged(method, path, { ...options, again: true });
    throw new Unreachable(String(error));
  }
  const etag = response.headers.get("ETag") ?? "";
  if ([502, 503, 504].includes(response.status)) throw new Unreachable(`HTTP ${response.status}`);
  answered();
  const signedIn = response.status === 401 ? signInAgain() : null;
  if (signedIn) {
    await signedIn;
    return tagged(method, path, options);
  }
  if (response.status === 204) return { value: undefined as T, etag };
  const body = await answer(response);
  if (response.ok) return { value: body as T, etag };
  throw refusal(response.status, body);
}

async function answer(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new Unreachable(`The answer was not JSON: ${String(error)}`);
    return {};
  }
}

function refusal(status: number, body: unknown): ApiError {
  const fields = (body && typeof body === "object" ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const message = text("message") || text("detail") || `The server answered with ${status}.`;
  return new ApiError(
    status,
    text("code") || "error",
    message,
    text("hint"),
    text("where"),
    fields,
  );
}

export const get = <T>(path: string, query?: Query): Promise<T> =>
  call<T>("GET", path, query ? { query } : {});
export const post = <T>(path: string, body?: unknown): Promise<T> =>
  call<T>("POST", path, { body: body ?? {} });
export const patch = <T>(path: string, body: unknown): Promise<T> =>
  call<T>("PATCH", path, { body });
export const put = <T>(path: string, body: unknown): Promise<T> => call<T>("PUT", path, { body });
export const remove = (path: string): Promise<void> => call<void>("DELETE", path);
