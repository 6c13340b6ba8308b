import type { ContextEvent } from "../../protocol/values.ts";
import { injected, injections } from "../tables/injections.ts";
import { insertInto, selectColumns } from "../tables/statements.ts";
import type { TableRow } from "../tables/table.ts";
import type { Memory } from "./memory.ts";

/** One thing that was quoted to an agent. */
type InjectedItem = Pick<TableRow<typeof injected>, "ref" | "why" | "score">;

/** One injection into an agent's context. */
export interface Injection extends Omit<TableRow<typeof injections>, "id"> {
  items: InjectedItem[];
}

/** Totals of the injected context. */
export interface InjectionTotals {
  injections: number;
  tokens: number;
}

export function saveInjection(memory: Memory, { items, ...injection }: Injection): number {
  return memory.runInTransaction(() => {
    const { id } = memory.get<{ id: number }>(`${insertInto(injections)} RETURNING id`, {
      ...injection,
      tookMs: Math.round(injection.tookMs),
    });
    const add = memory.prepare(insertInto(injected));
    items.forEach((item, position) => {
      add.run({ ...item, injectionId: id, position });
    });
    return id;
  });
}

/** Everything that was ever quoted to a session. */
export function readInjectedRefs(memory: Memory, sessionUid: string): Set<string> {
  return new Set(
    memory.readColumn<string>(
      "SELECT ref FROM injected WHERE injection_id IN (SELECT id FROM injections WHERE session_uid = ?)",
      sessionUid,
    ),
  );
}

/** Injected context, the latest first; of one session, or of all. */
export function listInjections(
  memory: Memory,
  { sessionUid = null, limit }: { sessionUid?: string | null; limit: number },
): Injection[] {
  const rows = memory.all<Omit<Injection, "items"> & { id: number; items: string }>(
    `SELECT ${selectColumns(injections)},
       (SELECT json_group_array(json_object('ref', ref, 'why', why, 'score', score) ORDER BY position)
        FROM injected WHERE injection_id = injections.id) AS items
     FROM injections WHERE @sessionUid IS NULL OR session_uid = @sessionUid
     ORDER BY at DESC, id DESC LIMIT @limit`,
    { sessionUid, limit },
  );
  return rows.map(({ id: _, items, ...row }) => ({ ...row, items: JSON.parse(items) as InjectedItem[] }));
}

/** Items whose reference begins so, each with the injection that it was in, the latest first. */
export function listInjectedWithPrefix(
  memory: Memory,
  { prefix, sessionUid = null, since = 0, limit }: InjectedQuery,
): (Pick<Injection, "sessionUid" | "at" | "callId" | "decision"> & Pick<InjectedItem, "ref">)[] {
  return memory.all(
    `SELECT ref, session_uid AS sessionUid, at, call_id AS callId, decision
     FROM injected JOIN injections ON injections.id = injected.injection_id
     WHERE substr(ref, 1, length(@prefix)) = @prefix AND at >= @since AND (@sessionUid IS NULL OR session_uid = @sessionUid)
     ORDER BY at DESC, injections.id DESC LIMIT @limit`,
    { prefix, sessionUid, since, limit },
  );
}

interface InjectedQuery {
  prefix: string;
  sessionUid?: string | null;
  since?: number;
  limit: number;
}

/** How often context was injected since a time, and its size in all. */
export function sumInjections(memory: Memory, since = 0): InjectionTotals {
  return memory.get<InjectionTotals>(
    "SELECT count(*) AS injections, coalesce(sum(tokens), 0) AS tokens FROM injections WHERE at >= ?",
    since,
  );
}

/** An answer that did not reach the agent in time. Stores nothing about the session. */
export interface MissedInjection {
  event: ContextEvent;
  at: number;
  /** From the start of the hook until it timed out. Milliseconds. */
  tookMs: number;
}

/** In `meta`: the latest ones, as JSON. */
const missedKey = "context.missed";
const maxMissed = 200;

export function saveMissed(memory: Memory, missed: MissedInjection): void {
  memory.runInTransaction(() => {
    const last = [...listMissedInjections(memory), missed].slice(-maxMissed);
    memory.setMeta(missedKey, JSON.stringify(last));
  });
}

/** At most the last 200, the latest last. */
export function listMissedInjections(memory: Memory, since = 0): MissedInjection[] {
  const all = JSON.parse(memory.readMeta(missedKey) ?? "[]") as MissedInjection[];
  return all.filter(({ at }) => at >= since);
}
