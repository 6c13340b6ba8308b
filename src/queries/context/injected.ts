import { annotationByUid } from "../../store/memory/chunks/annotations.ts";
import { chunkByUid } from "../../store/memory/chunks/chunks.ts";
import { eventByUid } from "../../store/memory/events.ts";
import { type Injection, listInjections } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { beginningOf } from "../../text/text-size.ts";
import { harmless } from "./quote.ts";

/** What was injected at one moment; the keys are the JSON's keys. */
export interface Injected {
  session_id: string;
  event: Injection["event"];
  /** ISO 8601. */
  at: string;
  reason: string;
  tokens: number;
  took_ms: number;
  items: ToldItem[];
}

interface ToldItem {
  ref: string;
  why: string;
  /** 0 to 1; null without a query. */
  score: number | null;
  /** The beginning of the quoted text; null if it was forgotten since. */
  about: string | null;
}

const longest = 160;

/** Past automatic context, the latest first, with texts as they are stored today. */
export function injectedIn(
  memory: Memory,
  filter: { sessionUid?: string | null; limit: number },
): Injected[] {
  return listInjections(memory, filter).map(({ sessionUid, event, at, reason, tokens, tookMs, items }) => ({
    session_id: sessionUid,
    event,
    at: new Date(at).toISOString(),
    reason,
    tokens,
    took_ms: tookMs,
    items: items.map(({ ref, why, score }) => {
      const about = aboutOf(memory, ref);
      return { ref, why, score, about: about === null ? null : beginningOf(harmless(about), longest) };
    }),
  }));
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
      const session = sessionByUid(memory, uid.replace(/:files$/, ""));
      return session === null ? null : (session.title ?? session.uid);
    }
    default:
      return uid;
  }
}
