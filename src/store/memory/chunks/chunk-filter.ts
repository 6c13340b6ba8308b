import { LRUCache } from "lru-cache";
import { addTo } from "../../../base/multimap.ts";
import type { ChunkKind, ChunkType } from "../../../protocol/values.ts";
import type { Memory } from "../memory.ts";
import type { EventType, SessionChunkId } from "../memory-records.ts";

/** Which chunks of sessions are asked for; null limits nothing. */
export interface ChunkFilter {
  /** Rows of `sessions`. */
  sessionIds: readonly number[] | null;
  /** Not of these rows of `sessions`. */
  withheld: readonly number[] | null;
  types: readonly ChunkType[] | null;
  kinds: readonly ChunkKind[] | null;
  eventTypes: readonly EventType[] | null;
  /** Chunks with anything from then on, and up to then. */
  since: number | null;
  until: number | null;
  branch: string | null;
  agent: string | null;
  /** Part of the name of the colleague who shared it. */
  author: string | null;
  /** true: only what colleagues shared; false: only what was recorded here. */
  shared: boolean | null;
  /** Chunks that touched one of these files: paths as stored. See `listEveryTouchedFile`. */
  files: readonly string[] | null;
  /** false: none of a way that was left. */
  abandoned: boolean | null;
  /** Chunks of one of these turns. */
  turns: readonly TurnOfSession[] | null;
}

/** A turn of a row of `sessions`; null: all of them. */
export interface TurnOfSession {
  sessionId: number;
  turn: number | null;
}

export const allChunks: ChunkFilter = {
  sessionIds: null,
  withheld: null,
  types: null,
  kinds: null,
  eventTypes: null,
  since: null,
  until: null,
  branch: null,
  agent: null,
  author: null,
  shared: null,
  files: null,
  abandoned: null,
  turns: null,
};

/** A colleague's note may stand in a session of one's own. */
const authorOf = `coalesce((SELECT author FROM annotations a WHERE a.id = chunks.annotation_id),
  (SELECT author FROM sessions s WHERE s.id = chunks.session_id))`;

/** Asked once, and not of each chunk. */
const isShared = `session_id IN (SELECT id FROM sessions WHERE author IS NOT NULL)
  OR coalesce(annotation_id IN (SELECT id FROM annotations WHERE author IS NOT NULL), FALSE)`;

/** Conditions on `chunks` and their named parameters; no conditions when everything is asked for. */
function buildFilterConditions(filter: ChunkFilter): { sql: string | null; given: Record<string, unknown> } {
  const given: Record<string, unknown> = {};
  const conditions: string[] = [];
  const add = (name: keyof ChunkFilter, condition: string, value: unknown = filter[name]) => {
    if (filter[name] === null) return;
    conditions.push(condition);
    given[name] = value;
  };
  add("sessionIds", "session_id IN (SELECT value FROM json_each(@sessionIds))");
  add("withheld", "session_id NOT IN (SELECT value FROM json_each(@withheld))");
  add("types", "type IN (SELECT value FROM json_each(@types))");
  add("kinds", "kind IN (SELECT value FROM json_each(@kinds))");
  add("eventTypes", "event_type IN (SELECT value FROM json_each(@eventTypes))");
  add("since", "coalesce(ended_at, started_at) >= @since");
  add("until", "started_at <= @until");
  add("branch", "branch = @branch");
  add("agent", "session_id IN (SELECT id FROM sessions WHERE agent = @agent)");
  add("author", `instr(lower(${authorOf}), lower(@author)) > 0`);
  add("shared", `(${isShared}) = @shared`, filter.shared ? 1 : 0);
  add(
    "files",
    "EXISTS (SELECT 1 FROM json_each(chunks.files) f WHERE f.value IN (SELECT value FROM json_each(@files)))",
  );
  add("abandoned", "abandoned = @abandoned", filter.abandoned ? 1 : 0);
  add(
    "turns",
    `session_id IN (SELECT value ->> 'sessionId' FROM json_each(@turns))
      AND EXISTS (SELECT 1 FROM json_each(@turns) t WHERE t.value ->> 'sessionId' = session_id
        AND coalesce(t.value ->> 'turn' BETWEEN first_turn AND last_turn, TRUE))`,
  );
  return { sql: conditions.length > 0 ? conditions.join(" AND ") : null, given };
}

/** The chunks that a filter lets through, ascending. */
export function listChunkIds(memory: Memory, filter: ChunkFilter): SessionChunkId[] {
  const { sql, given } = buildFilterConditions(filter);
  return memory.readColumn<SessionChunkId>(`SELECT id FROM chunks WHERE ${sql ?? "TRUE"} ORDER BY id`, given);
}

/** Filters whose chunks are remembered: a search asks for them more than once, and who searches often does so in the same. */
const maxScopes = 4;

/** The chunks that a filter lets through; null: all. Remembered and shared: not to be changed. */
export function findFilterScope(memory: Memory, filter: ChunkFilter): ReadonlySet<SessionChunkId> | null {
  if (buildFilterConditions(filter).sql === null) return null;
  const scopes = memory.readOnce(
    "chunks by filter",
    () => new LRUCache<string, ReadonlySet<SessionChunkId>>({ max: maxScopes }),
  );
  const key = JSON.stringify(filter);
  const known = scopes.get(key);
  if (known !== undefined) return known;
  const scope = new Set(listChunkIds(memory, filter));
  scopes.set(key, scope);
  return scope;
}

/**
 * The chunks that a filter lets through by the files that they touched, each file's ascending. Finding those of one file
 * reads every chunk, so all are found at once, and kept until the memory is written: for filters that let few through.
 */
export function readChunkIdsByFile(
  memory: Memory,
  filter: ChunkFilter,
): ReadonlyMap<string, readonly SessionChunkId[]> {
  return memory.readOnce(`chunks by file ${JSON.stringify(filter)}`, () => {
    const { sql, given } = buildFilterConditions(filter);
    const rows = memory.prepare(`SELECT id, files FROM chunks WHERE ${sql ?? "TRUE"} ORDER BY id`).all(given);
    const byFile = new Map<string, SessionChunkId[]>();
    for (const { id, files } of rows as { id: SessionChunkId; files: string }[]) {
      for (const file of new Set(JSON.parse(files) as string[])) {
        addTo(byFile, file, id);
      }
    }
    return byFile;
  });
}

export interface ChunkText {
  id: SessionChunkId;
  sessionId: number;
  firstTurn: number;
  type: ChunkType;
  text: string;
}

/** The texts of those chunks, newest first, one at a time; nothing may be written meanwhile. */
export function readChunkTexts(memory: Memory, filter: ChunkFilter): IterableIterator<ChunkText> {
  const { sql, given } = buildFilterConditions(filter);
  return memory
    .prepare(
      `SELECT id, session_id AS sessionId, first_turn AS firstTurn, type, text
       FROM chunks WHERE ${sql ?? "TRUE"} ORDER BY started_at DESC, id DESC`,
    )
    .iterate(given) as IterableIterator<ChunkText>;
}

/** Every file that a turn touched: what a pattern for `files` is matched with. */
export function listEveryTouchedFile(memory: Memory): string[] {
  return memory.readColumn<string>(`SELECT path FROM turn_files UNION
    SELECT f.value AS path FROM chunks, json_each(chunks.files) f WHERE chunks.type <> 'raw'`);
}
