import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptLine } from "../../src/agents/agent.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Embedder } from "../../src/models/embed/embedder.ts";
import type { Scrubber, SecretLedger } from "../../src/redact/scrubber.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { buildOptionsForSession } from "../../src/sessions/chunks/rechunk.ts";
import { SessionWriter } from "../../src/sessions/ingest/session-writer.ts";
import { readStoredTurns } from "../../src/sessions/turn-content.ts";
import type { ScrubbingWork } from "../../src/sessions/work.ts";
import { listChunksOfSession } from "../../src/store/memory/chunks/chunks.ts";
import type { SessionRecord } from "../../src/store/memory/memory-records.ts";
import { saveSession } from "../../src/store/memory/sessions/sessions.ts";
import { temporaryMemory } from "./memory-fixture.ts";
import { conversation, type FixtureOptions, type Happening } from "./turn-fixture.ts";

/** For tests: an embedder whose vectors say how long a passage is. */
const lengthEmbedder: Embedder = {
  id: "length",
  dimensions: 2,
  prepare: async () => {},
  embed: async (texts) => texts.map((text) => Int8Array.from([text.length % 128, text.length % 7])),
  close: async () => {},
};

/** A scrubber that takes texts of a shape for secrets; without one for none. */
export function fakeScrubber(version: string, secret: RegExp | null): Scrubber {
  return {
    version,
    scrub(text: string, ledger: SecretLedger) {
      if (secret === null) return text;
      return text.replace(secret, (found) => {
        const number = ledger.numberSecret("WORD", found);
        return `[REDACTED_WORD${number === 1 ? "" : `_${number}`}]`;
      });
    },
    find: () => [],
  };
}

/** An empty memory and all that it takes to change it. */
export function temporaryWork({ scrubber = fakeScrubber("weak", null), maxChunks = 0 } = {}) {
  const { memory, dir, remove } = temporaryMemory();
  const work: ScrubbingWork = {
    memory,
    scrubber,
    ledgerKey: Buffer.alloc(16, 7),
    embedder: lengthEmbedder,
    chunks: { minTokens: 20, maxTokens: 200, pauseMinutes: 5, kinds: buildKindRules() },
    maxChunks,
    root: "/repo",
    worktrees: [],
    log: silentLog,
  };

  /** Stores a conversation as reading its transcript does. */
  async function store(uid: string, ...happenings: (Happening | FixtureOptions)[]): Promise<SessionRecord> {
    const turns = conversation(...happenings);
    const stored = turns.flatMap((turn) => turn.lines.map((line) => ({ ...line, branch: turn.branch })));
    const times = stored.flatMap(({ at }) => at ?? []);
    const session = saveSession(memory, {
      uid,
      agent: "claude",
      cwd: "/repo",
      startedAt: times[0] ?? null,
      lastAt: times.at(-1) ?? null,
    });
    const options = {
      ...work,
      session,
      chunks: { ...work.chunks, ...buildOptionsForSession(work, session) },
    };
    const lines = stored.map(
      ({ uid: line, at, entries, branch }): TranscriptLine => ({
        uid: `${uid}-${line}`,
        parentUid: null,
        at,
        cwd: "/repo",
        branch,
        entries,
        usage: null,
      }),
    );
    const writer = new SessionWriter(options);
    const prepared = await writer.prepare(lines);
    memory.runInTransaction(() => writer.store(prepared));
    return session;
  }

  /** Everything that can be read of the memory as text: its files' bytes, and archived turns unpacked. */
  function everything(): string {
    const bytes = readdirSync(dir).map((name) => readFileSync(join(dir, name)).toString("latin1"));
    const ids = memory.prepare("SELECT id FROM sessions").pluck().all() as number[];
    const turns = ids.flatMap((id) => [...readStoredTurns(memory, id)]);
    return `${bytes.join("\n")}\n${JSON.stringify(turns)}`;
  }

  /** What chunks say, and of what. */
  function chunkTexts(id: number) {
    return listChunksOfSession(memory, id).map(({ type, position, text, uid, firstTurn, lastTurn }) => ({
      type,
      position,
      text,
      uid,
      firstTurn,
      lastTurn,
    }));
  }

  /** A table as it is, to the row. */
  const rowsOf = (table: string) => memory.prepare(`SELECT * FROM ${table}`).all();

  return { memory, work, dir, remove, store, everything, chunkTexts, rowsOf };
}
