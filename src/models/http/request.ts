import * as z from "zod/mini";
import { codeOf, messageOf } from "../../project/errors.ts";
import { waitAskedFor } from "./rate-limits.ts";

/** A server, at an address that people configure. */
export interface Endpoint {
  /** Without credentials and without a slash at the end. */
  base: string;
  headers: Record<string, string>;
  /** What must never be shown: a server may repeat it in its message. */
  secrets: readonly string[];
}

/** The server at `url`; a user and password in it become a header, as `fetch` does not take them. */
export function endpointAt(url: string, key: string | null = null): Endpoint {
  const { origin, pathname, username, password } = new URL(url);
  const base = `${origin}${pathname}`.replace(/\/+$/, "");
  const user = [username, password].map(decodeURIComponent).join(":");
  if (key !== null) return { base, headers: { authorization: `Bearer ${key}` }, secrets: [key] };
  if (user === ":") return { base, headers: {}, secrets: [] };
  const encoded = Buffer.from(user).toString("base64");
  return { base, headers: { authorization: `Basic ${encoded}` }, secrets: [encoded, password] };
}

interface FailureDetails {
  /** 0 when there was no answer. */
  status?: number;
  /** The server's own words, on one line. */
  reply?: string;
  /** The server's code for it: "insufficient_quota". */
  serverCode?: string;
  /** How long the server asks to wait. Milliseconds. */
  waitMs?: number | null;
}

/** Why one request brought nothing. The message continues a sentence that begins with the server's name. */
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

export interface RequestOptions {
  /** Sent as JSON with POST; without it, it is a GET. */
  body?: unknown;
  /** For the whole answer. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * One request, one try: JSON that fits `schema`.
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
    if (!response.ok) throw failureOf(endpoint, response, text);
    const parsed = schema.safeParse(jsonOf(text));
    if (!parsed.success) throw new RequestFailed("nonsense", "answered with something unexpected");
    return { value: parsed.data, headers: response.headers };
  } catch (error) {
    signal?.throwIfAborted();
    if (request.signal.aborted) {
      throw new RequestFailed("timeout", `gave no answer within ${timeoutMs / 1000} s`);
    }
    if (error instanceof RequestFailed) throw error;
    throw unreachable(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Like `requestJson`, but the answer is read as it comes: its lines.
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
    if (!response.ok) throw failureOf(endpoint, response, await response.text());
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
    throw unreachable(error);
  }
}

function send(endpoint: Endpoint, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const { base, headers } = endpoint;
  // A redirect is not followed: texts go where the configuration says, nowhere else.
  const options: RequestInit = { headers, redirect: "manual", signal };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { ...headers, "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  return fetch(`${base}${path}`, options);
}

/** As servers say what is wrong: Ollama's `{"error": "…"}`, OpenAI's `{"error": {"message": "…"}}`, others'. */
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

function failureOf({ secrets }: Endpoint, { status, headers }: Response, text: string): RequestFailed {
  const parsed = complaint.safeParse(jsonOf(text));
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

function jsonOf(text: string): unknown {
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

function unreachable(error: unknown): RequestFailed {
  // fetch says "fetch failed" and why only in its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new RequestFailed("unreachable", `does not answer: ${reasons[codeOf(cause)] ?? messageOf(cause)}`);
}
