import * as z from "zod/mini";
import type { SettingKey } from "../../base/config/settings.ts";
import { type ErrorCode, getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";

/** A configured server. */
export interface Endpoint {
  /** Without credentials and without a slash at the end. */
  base: string;
  headers: Record<string, string>;
  /** Redacted from messages, because a server may repeat them. */
  secrets: readonly string[];
}

/** The server at `url`; a user and password in it become a header, as `fetch` does not take them. */
export function buildEndpoint(url: string, key: string | null = null): Endpoint {
  const { origin, pathname, username, password } = new URL(url);
  const base = `${origin}${pathname}`.replace(/\/+$/, "");
  const user = [username, password].map(decodeURIComponent).join(":");
  if (key !== null) return { base, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  if (user === ":") return { base, headers: {}, secrets: [] };
  const encoded = Buffer.from(user).toString("base64");
  return { base, headers: { authorization: `Basic ${encoded}` }, secrets: [encoded, password] };
}

interface FailureDetails {
  /** 0 without an answer. */
  status?: number;
  /** The server's message, on one line. */
  reply?: string;
  /** The server's code for it: "insufficient_quota". */
  serverCode?: string;
  /** The wait that the server requests. Milliseconds. */
  waitMs?: number | null;
}

/** A failed request. The message continues a sentence that begins with the server's name. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly reply: string;
  readonly serverCode: string;
  readonly waitMs: number | null;

  constructor(
    readonly kind: "unreachable" | "timeout" | "status" | "nonsense",
    message: string,
    { status = 0, reply = "", serverCode = "", waitMs = null }: FailureDetails = {},
  ) {
    super(message);
    this.status = status;
    this.reply = reply;
    this.serverCode = serverCode;
    this.waitMs = waitMs;
  }
}

interface RequestOptions {
  /** Sent as JSON with POST; default: a GET. */
  body?: unknown;
  /** For the whole answer. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * One request without retries; the answer is JSON that matches `schema`.
 * @throws RequestFailed; the signal's reason when it is aborted
 */
export async function requestJson<T>(
  endpoint: Endpoint,
  path: string,
  schema: z.ZodMiniType<T>,
  { body, timeoutMs, signal }: RequestOptions,
): Promise<{ value: T; headers: Headers }> {
  signal?.throwIfAborted();
  const request = new AbortController();
  const abort = () => request.abort();
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(abort, timeoutMs);
  try {
    const response = await send(endpoint, path, body, request.signal);
    const text = await response.text();
    if (!response.ok) throw toRequestFailure(endpoint, response, text);
    const parsed = schema.safeParse(parseJsonOrUndefined(text));
    if (!parsed.success) throw new RequestFailed("nonsense", "answered with something unexpected");
    return { value: parsed.data, headers: response.headers };
  } catch (error) {
    signal?.throwIfAborted();
    if (request.signal.aborted) {
      throw new RequestFailed("timeout", `gave no answer within ${timeoutMs / 1000} s`);
    }
    if (error instanceof RequestFailed) throw error;
    throw makeUnreachableFailure(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Like `requestJson`, but streams the answer's lines.
 * @throws RequestFailed; the signal's reason when it is aborted
 */
export async function* requestLines(
  endpoint: Endpoint,
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    const response = await send(endpoint, path, body, signal);
    if (!response.ok) throw toRequestFailure(endpoint, response, await response.text());
    if (response.body === null) return;
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RequestFailed) throw error;
    throw makeUnreachableFailure(error);
  }
}

function send(endpoint: Endpoint, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const { base, headers } = endpoint;
  // Never follow redirects: texts only go to the configured server.
  const options: RequestInit = { headers, redirect: "manual", signal };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { ...headers, "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  return fetch(`${base}${path}`, options);
}

/** Error formats: Ollama's `{"error": "…"}`, OpenAI's `{"error": {"message": "…"}}`, others'. */
const complaint = z.object({
  error: z.optional(
    z.union([
      z.string(),
      z.object({ message: z.optional(z.string()), code: z.optional(z.nullable(z.string())) }),
    ]),
  ),
  message: z.optional(z.string()),
  detail: z.optional(z.string()),
});

function toRequestFailure({ secrets }: Endpoint, { status, headers }: Response, text: string): RequestFailed {
  const parsed = complaint.safeParse(parseJsonOrUndefined(text));
  const { error, message, detail } = parsed.success ? parsed.data : {};
  const words = (typeof error === "string" ? error : error?.message) ?? message ?? detail ?? "";
  let reply = words.replace(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret !== "") reply = reply.replaceAll(secret, "…");
  if (reply.length > 300) reply = `${reply.slice(0, 300)}…`;
  if (status >= 300 && status < 400) reply = `it redirects to ${headers.get("location") ?? "somewhere"}`;
  return new RequestFailed("status", `answered ${status}${reply === "" ? "" : `: ${reply}`}`, {
    status,
    reply,
    serverCode: (typeof error === "object" && error?.code) || "",
    waitMs: waitAskedFor(headers),
  });
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection broke off",
  UND_ERR_SOCKET: "the connection broke off",
  EPIPE: "the connection broke off",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  UND_ERR_CONNECT_TIMEOUT: "no connection",
};

function makeUnreachableFailure(error: unknown): RequestFailed {
  // fetch has the reason only in its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new RequestFailed(
    "unreachable",
    `does not answer: ${reasons[getErrorCode(cause)] ?? getErrorMessage(cause)}`,
  );
}

/**
 * The wait that a server requests, in milliseconds, or null. Understands Retry-After (seconds or a date), OpenAI's
 * retry-after-ms, and x-ratelimit-reset-* once a limit is used up.
 */
export function waitAskedFor(headers: Headers, now: number = Date.now()): number | null {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && Number(exact) >= 0) return Number(exact);
  const after = headers.get("retry-after");
  if (after !== null) {
    const ms = /^[\d.]+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
    if (!Number.isNaN(ms)) return Math.max(0, ms);
  }
  const resets = ["requests", "tokens"]
    .filter((what) => headers.get(`x-ratelimit-remaining-${what}`) === "0")
    .map((what) => parseDurationMs(headers.get(`x-ratelimit-reset-${what}`) ?? ""))
    .filter((ms) => ms !== null);
  return resets.length === 0 ? null : Math.max(...resets);
}

const duration = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/;

/** "6m0s", "1.5s", "12ms", or plain seconds; null for anything else. */
function parseDurationMs(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const parts = text === "" ? null : duration.exec(text);
  if (parts === null) return null;
  const [days, hours, minutes, seconds, ms] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000 + ms!;
}

/** The caller of a server, which determines error codes and hints. */
export interface RemoteCaller {
  code: ErrorCode;
  ollamaUrl: SettingKey;
  openaiUrl: SettingKey;
  /** Whether `pm models pull` fetches its models from Ollama's library. */
  isPulledByPm: boolean;
}

export const embedCaller: RemoteCaller = {
  code: "embedder_unavailable",
  ollamaUrl: "ollama.url",
  openaiUrl: "openai.url",
  isPulledByPm: true,
};

/**
 * Whether a model's failure lies in what it was asked: it answers other requests. False where it is away, refuses the key,
 * or its budget is used up.
 */
export function isUnanswerable(error: unknown): boolean {
  const cause = error instanceof PommelError ? error.cause : null;
  if (!(cause instanceof RequestFailed)) return false;
  const { kind, status } = cause;
  return kind === "nonsense" || kind === "timeout" || [400, 413, 422].includes(status);
}
