import { signal } from "@preact/signals";
import type { OperationName, RequestNamed, ResponseNamed } from "../../features/index.ts";
import { operationsPath, signInPath } from "../../protocol/addresses.ts";
import { placeHeader } from "../../protocol/channel.ts";
import { goTo } from "../router.ts";
import { placeShown, showEverywhere, showPlace } from "./place.ts";

/** What the daemon refused, or that it did not answer: what happened, and what to do. */
export class AskError extends Error {
  constructor(
    /** A code of docs/cli.md, or `unreachable`. */
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** What was thrown, as it is shown. */
export const toAskError = (thrown: unknown): AskError =>
  thrown instanceof AskError ? thrown : new AskError("internal", String(thrown), "Reload the page.");

/** Whether this browser has to be signed in with `pm open`, and why. */
export const signedOut = signal<AskError | null>(null);

/**
 * Asks the daemon about the project that is shown, or at a place. The answer's type is the operation's; the daemon that serves this page has the same version.
 * @throws AskError, and the signal's reason once it is aborted
 */
export async function ask<N extends OperationName>(
  operation: N,
  request: RequestNamed<N>,
  signal?: AbortSignal,
  place?: string,
): Promise<ResponseNamed<N>> {
  const answer = await send(`${operationsPath}/${operation}`, "POST", request, signal, place);
  return answer as ResponseNamed<N>;
}

/** A request to this page's own server. @throws as `ask` */
async function send(
  path: string,
  method: string,
  body?: unknown,
  signal?: AbortSignal,
  place?: string,
): Promise<unknown> {
  return (await open(path, method, body, signal, place)).json();
}

/** The answer to a request, before it is read. @throws as `ask` */
export async function open(
  path: string,
  method: string,
  body?: unknown,
  signal?: AbortSignal,
  place = placeShown(),
): Promise<Response> {
  const token = getToken();
  const response = await fetch(path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(place !== null && { [placeHeader]: encodeURIComponent(place) }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw signal.reason;
    throw new AskError(
      "unreachable",
      "The Pommel daemon does not answer.",
      `Run \`pm open\`: it starts the daemon and signs this browser in. (${error})`,
    );
  });
  if (response.ok) return response;
  const refusal =
    parseRefusal(await response.json().catch(() => null)) ??
    new AskError("internal", `The daemon answered ${response.status}.`, "Reload the page.");
  if (refusal.code === "unauthorized") signedOut.value ??= refusal;
  throw refusal;
}

function parseRefusal(answer: unknown): AskError | null {
  const error = (answer as { error?: { code?: unknown; message?: unknown; hint?: unknown } } | null)?.error;
  return error ? new AskError(String(error.code), String(error.message), String(error.hint ?? "")) : null;
}

/** Where the browser keeps this browser's token: for this origin alone, and for all its tabs. */
const stored = "pommel.token";

const getToken = () => localStorage.getItem(stored);

/** The id of this browser among those that are signed in: what its token begins with. */
export const getOwnBrowserId = (): string | null => getToken()?.split(".")[0] ?? null;

/**
 * Exchanges the one-time code in the address, if there is one, for a token, and removes it from the address and the
 * browser's history. A browser that is signed in already stays so if the code is no longer valid; but then the place in the
 * address may be anybody's, and does not count.
 */
export async function signInWithCode(): Promise<void> {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === stored) signedOut.value = newValue === null ? bySomeone : null;
  });
  // A link that is opened where the page is shown already changes nothing but what is behind the `#`.
  addEventListener("hashchange", () => location.hash.startsWith("#code=") && location.reload());
  const given = new URLSearchParams(location.hash.slice(1));
  const code = given.get("code");
  if (code === null) return;
  goTo(`#${given.get("to") ?? "/"}`, { replace: true });
  try {
    const { token } = (await send(signInPath, "POST", { code })) as { token: string };
    localStorage.setItem(stored, token);
    const place = given.get("place");
    if (place !== null) {
      showPlace(place);
      showEverywhere(false);
    }
  } catch (error) {
    // Whether a token from before is still good shows with the first question.
    if (error instanceof AskError && error.code === "unauthorized") lastRefusal = error;
  }
  signedOut.value = null;
}

/** Signs this browser out, in all its tabs. @throws as `ask` */
export async function signOutHere(): Promise<void> {
  const browser = getOwnBrowserId();
  if (browser !== null) await ask("signOut", { browser });
  localStorage.removeItem(stored);
  signedOut.value = bySomeone;
}

const bySomeone = new AskError("unauthorized", "This browser was signed out.", "Run `pm open`.");

/** Why the code in the address did not work; null: there was none, or it did. */
export let lastRefusal: AskError | null = null;
