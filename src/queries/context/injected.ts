import type { Injected } from "../../protocol/operations/context.ts";
import type { ResponseOf } from "../../protocol/routes.ts";
import { annotationByUid } from "../../store/memory/chunks/annotations.ts";
import { chunkByUid } from "../../store/memory/chunks/chunks.ts";
import { eventByUid } from "../../store/memory/events.ts";
import { listInjections, missedInjections } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { harmless } from "../../text/quotation.ts";
import { beginningOf } from "../../text/text-size.ts";
import { usesOf } from "./used.ts";

const longest = 160;
const missedSinceMs = 30 * 24 * 3600 * 1000;

/** Answers that came too late for the agent, of the last 30 days. */
export function missedIn(memory: Memory): ResponseOf<"injections">["missed"] {
  return missedInjections(memory, Date.now() - missedSinceMs).map(({ event, at, tookMs }) => ({
    event,
    at: new Date(at).toISOString(),
    took_ms: tookMs,
  }));
}

/**
 * Past automatic context, the latest first, with texts as they are stored today and whether they were used.
 * @throws PommelError `not_found` for an unknown session
 */
export function injectedIn(
  memory: Memory,
  { session, limit }: { session?: string | undefined; limit: number },
): Injected[] {
  const sessionUid = session === undefined ? null : findSession(memory, session).uid;
  return listInjections(memory, { sessionUid, limit }).map((injection) => {
    const { sessionUid, event, at, reason, tokens, tookMs, items } = injection;
    const uses = usesOf(memory, injection);
    return {
      session_id: sessionUid,
      session_title: sessionByUid(memory, sessionUid)?.title ?? null,
      event,
      at: new Date(at).toISOString(),
      reason,
      tokens,
      took_ms: tookMs,
      items: items.map(({ ref, why, score }) => {
        const about = aboutOf(memory, ref);
        return {
          ...{ ref, why, score, use: uses.get(ref) ?? null },
          about: about === null ? null : beginningOf(harmless(about), longest),
        };
      }),
    };
  });
}

function aboutOf(memory: Memory, ref: string): string | null {
  const at = ref.indexOf(":");
  const uid = ref.slice(at + 1);
  switch (ref.slice(0, at)) {
    case "chunk":
      return chunkByUid(memory, uid)?.text ?? null;
    case "note":
      return annotationByUid(memory, uid)?.note ?? null;
    case "event":
      return eventByUid(memory, uid)?.title ?? null;
    case "session": {
      const session = sessionByUid(memory, uid.replace(/:(?:branch|files|commands)$/, ""));
      return session === null ? null : (session.title ?? session.uid);
    }
    default:
      return uid;
  }
}
