import type { EventFound } from "../../protocol/operations/search.ts";
import { analyseQuery } from "../../search/code/query.ts";
import { verbatim } from "../../search/confidence/judge.ts";
import { searchEvents } from "../../search/history/events.ts";
import type { Ranked } from "../../search/history/rank.ts";
import { mentioned, wordsHeld } from "../../search/mentioned.ts";
import { snippetAround } from "../../search/sessions/snippet.ts";
import { findEvent, membersOf } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventRecord } from "../../store/memory/memory-records.ts";
import { isoTime } from "../status/status.ts";
import { scoreOf, type Wanted } from "./history-commits.ts";

/** Where only commits are asked for. */
export const nothing = { ...verbatim([]), results: [] as never[] };

/** Events as a search of the history answers them. */
export async function eventsFor(memory: Memory, { request, since, until, nearness, limit }: Wanted) {
  const { q, file, author, session, event } = request;
  // Only commits have those.
  if (file !== undefined || author !== undefined || session !== undefined) return nothing;
  const only = event === undefined ? null : findEvent(memory, event).uid;
  const isWanted = ({ uid, updatedAt, startsAt, createdAt }: EventRecord) =>
    (only === null || uid === only) &&
    (since === null || updatedAt >= since) &&
    (until === null || (startsAt ?? createdAt) <= until);
  const judged = await searchEvents(memory, q, isWanted, nearness);
  const viewOf = (found: Ranked<EventRecord>): EventFound => {
    const { uid, title, description, type, status, branch, updatedAt } = found.item;
    const { sessions, checkpoints } = membersOf(memory, uid);
    const held = wordsHeld(analyseQuery(q).words, `${title} ${description} ${branch ?? ""}`);
    return {
      kind: "event",
      id: uid,
      title,
      timestamp: isoTime(updatedAt),
      snippet: snippetAround(description, q),
      ...scoreOf(found, request),
      match_reasons: [mentioned(held) ?? "similar in meaning"],
      ...{ type, status, branch, sessions: sessions.length, checkpoints: checkpoints.length },
    };
  };
  return { ...judged, results: judged.results.slice(0, limit).map(viewOf) };
}
