import { PommelError } from "../../base/errors.ts";
import type { RemoteCaller, RequestFailed } from "./request.ts";

/** Where an OpenAI-compatible API is, and which environment variable holds its key. */
export interface OpenaiServer {
  /** Base of the API: `/embeddings`, `/chat/completions` follow. */
  url: string;
  keyVariable: string;
}

/** Whether `url` is OpenAI itself, with known models and prices, and a required key. */
export function isOpenaiAt(url: string): boolean {
  return new URL(url).hostname === "api.openai.com";
}

/**
 * The key, or null when not needed.
 * @throws PommelError with the caller's code
 */
export function readKey(
  { url, keyVariable }: OpenaiServer,
  { code }: RemoteCaller,
  env: NodeJS.ProcessEnv = process.env,
  isNeeded: boolean = isOpenaiAt(url),
): string | null {
  const key = env[keyVariable]?.trim() ?? "";
  if (key === "" && !isNeeded) return null;
  if (key === "") {
    throw new PommelError(
      code,
      `${new URL(url).host} needs a key, but the environment variable ${keyVariable} is not set.`,
      `Set ${keyVariable} in your shell, then run \`pm daemon restart\` there.`,
    );
  }
  // Invalid in a header, and fetch's error would reveal it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new PommelError(
      code,
      `The environment variable ${keyVariable} is not a valid key: it has blanks or other invalid characters.`,
      "Copy the key again.",
    );
  }
  return key;
}

/** Converts a failed request to `server` ("The API at ...") into a PommelError. */
export function toOpenaiError(
  failure: RequestFailed,
  server: string,
  model: string,
  keyVariable: string,
  caller: RemoteCaller,
): PommelError {
  const { status } = failure;
  // On 401 and 403 the server's message may repeat parts of the key.
  const [message, hint] =
    status === 401 || status === 403
      ? [
          `${server} answered ${status}: it rejects the key in ${keyVariable}, or does not allow it ${model}.`,
          `Check ${keyVariable} where the daemon was started, and the key's permissions.`,
        ]
      : [`${server} ${failure.message}.`, chooseOpenaiHint(failure, caller)];
  return new PommelError(caller.code, message, hint, { cause: failure });
}

function chooseOpenaiHint(
  { kind, status, serverCode, waitMs }: RequestFailed,
  { openaiUrl }: RemoteCaller,
): string {
  if (kind === "unreachable" || kind === "timeout") return `Check the network and ${openaiUrl}.`;
  if (serverCode === "insufficient_quota") return "The account behind the key has no credit left.";
  if (status === 404) return `Check the model's name and ${openaiUrl}, which usually ends in /v1.`;
  if (status === 429) {
    const until = waitMs === null ? "" : ` for another ${Math.ceil(waitMs / 1000)} s`;
    return `The account's rate limit is used up${until}.`;
  }
  return `Check ${openaiUrl} and the model's name.`;
}
