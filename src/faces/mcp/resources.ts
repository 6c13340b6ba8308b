import type { ListResourcesResult, ReadResourceResult } from "@modelcontextprotocol/server";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { listCheckpoints } from "../../features/checkpoints/operation.ts";
import { listSessions } from "../../features/sessions/operation.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { formatMinute, shortenToLine } from "../../tools/text.ts";
import { ask } from "../../tools/tool.ts";
import { answer, explain, findCallable } from "./server/call-tool.ts";
import { findProjectHere } from "./server/here.ts";
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "./server/sdk.ts";

/** Sessions and checkpoints that a person can attach to a conversation. */

export const templates = [
  {
    uriTemplate: "pommel://sessions/{id}",
    name: "session",
    title: "A past session",
    description: "Its summary, last turns, notes and files; a prefix of the id is enough",
    mimeType: "text/plain",
  },
  {
    uriTemplate: "pommel://checkpoints/{id}",
    name: "checkpoint",
    title: "A checkpoint",
    description: "A commit with the sessions that led to it, and what going back would change",
    mimeType: "text/plain",
  },
];

/** How many are listed on a page. */
const sessionsListed = 20;
const checkpointsListed = 10;
/** How much of a resource is read: tokens, and turns. */
const tokensRead = 6000;
const turnsRead = 30;

/** The latest sessions, and on the first page the latest checkpoints; nothing if there is no memory. */
export async function listResources(
  cwd: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  try {
    const offset = readOffset(cursor);
    const context = { project: await findProjectHere(cwd), signal };
    const { sessions, total } = await ask(context, listSessions, {
      limit: Math.min(offset + sessionsListed, maxResults),
    });
    const page = sessions.slice(offset);
    const { checkpoints } =
      offset > 0 ? { checkpoints: [] } : await ask(context, listCheckpoints, { limit: checkpointsListed });
    const end = offset + page.length;
    return {
      resources: [
        ...page.map(({ id, title, branch, turns, last_at }) => ({
          uri: `pommel://sessions/${encodeURIComponent(id)}`,
          name: `session ${shortenSessionId(id)}`,
          title: shortenToLine(title ?? `Session of ${formatMinute(last_at)}`, 100),
          description: shortenToLine(
            [formatMinute(last_at), branch ?? "", `${turns} turns`].filter(Boolean).join(", "),
            200,
          ),
          mimeType: "text/plain",
        })),
        ...checkpoints.map(({ id, subject, committed_at, commit }) => ({
          uri: `pommel://checkpoints/${encodeURIComponent(id)}`,
          name: `checkpoint ${id}`,
          title: shortenToLine(subject, 100) || id,
          description: `${formatMinute(committed_at)}, commit ${shortenHash(commit)}`,
          mimeType: "text/plain",
        })),
      ],
      ...(page.length > 0 && end < total && { nextCursor: `${end}` }),
    };
  } catch (error) {
    const code = getErrorCode(error);
    if (code === "usage")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, explain("resources/list", error));
    // No failure: there is just nothing to attach yet.
    if (code === "not_initialised" || code === "no_memory" || code === "schema_outdated")
      return { resources: [] };
    throw new ProtocolError(ProtocolErrorCode.InternalError, explain("resources/list", error));
  }
}

/** How many sessions the pages before had. @throws PommelError `usage` */
function readOffset(cursor = "0"): number {
  if (/^\d{1,6}$/.test(cursor)) return Number(cursor);
  throw new PommelError("usage", "This is not a cursor of resources/list.", "Omit it.");
}

/** @throws ProtocolError for an address that is not ours or does not exist */
export async function readResource(
  cwd: string,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, kind, encoded = ""] = /^pommel:\/\/(sessions|checkpoints)\/(.{1,300})$/.exec(uri) ?? [];
  const id = decodeUriPart(encoded);
  if (kind === undefined || id === null) throw new ResourceNotFoundError(uri);
  try {
    const asked =
      kind === "sessions"
        ? { tool: findCallable("recall"), args: { id, limit: turnsRead, max_tokens: tokensRead } }
        : { tool: findCallable("rewind_preview"), args: { target: id, max_tokens: tokensRead } };
    const text = await answer(asked.tool!, asked.args, { cwd, signal });
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  } catch (error) {
    signal.throwIfAborted();
    if (getErrorCode(error) === "not_found") throw new ResourceNotFoundError(uri, explain(uri, error));
    throw new ProtocolError(ProtocolErrorCode.InternalError, explain("resources/read", error));
  }
}

function decodeUriPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
