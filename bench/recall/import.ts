import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as z from "zod/mini";
import { claude } from "../../src/agents/claude/claude.ts";
import { recognise } from "../../src/agents/registry.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { createScrubber } from "../../src/redact/create-scrubber.ts";
import { chunkSizes } from "../../src/sessions/chunks/cut-rules.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { recutSessions } from "../../src/sessions/recut.ts";
import { sumUpSession } from "../../src/sessions/summaries/sum-up.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { ensureSecretKey } from "../../src/store/memory/privacy/secrets.ts";
import { indexAllSessions } from "../../src/store/memory/sessions/session-index.ts";
import { findSessionById } from "../../src/store/memory/sessions/sessions.ts";
import { findTranscriptByPath } from "../../src/store/memory/sessions/transcripts.ts";

export interface Imported {
  memory: Memory;
  /** The row of a session, by its transcript's file name without the extension. */
  sessions: Map<string, number>;
  seconds: number;
  bytes: number;
  peakRss: number;
}

/** Reads transcripts into a memory, as the daemon does, with default settings. */
export interface Importer {
  memory: Memory;
  /** Reads on where it stopped. */
  read(path: string): Promise<void>;
  /** Sums up the session, which is over. */
  end(path: string): Promise<void>;
  /** Cuts sessions again that were cut by other rules. */
  recut(): Promise<void>;
}

/** @param root paths of files are relative to it */
export function importerInto(file: string, root: string): Importer {
  mkdirSync(dirname(file), { recursive: true });
  const memory = Memory.open(file, { readonly: false });
  const options = {
    memory,
    agent: claude,
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
    ledgerKey: ensureSecretKey(memory),
    embedder: createStaticEmbedder(),
    chunks: { ...chunkSizes, kinds: buildKindRules() },
    maxChunks: 0,
    root,
    worktrees: [],
    log: { debug() {}, info() {}, warn: console.error, error: console.error },
  };
  return {
    memory,
    async read(path) {
      const agent = (await recognise(path))?.agent ?? claude;
      await ingestTranscript({ ...options, agent }, path);
    },
    async end(path) {
      const session = findTranscriptByPath(memory, path)?.sessionId;
      const uid = session && findSessionById(memory, session)?.uid;
      if (uid) await sumUpSession({ ...options, llm: null }, uid);
    },
    async recut() {
      await recutSessions(options);
    },
  };
}

/** Reads every transcript below `dir` into `file`. */
export async function importSessions(dir: string, file: string): Promise<Imported> {
  const { memory, read, end } = importerInto(file, dir);
  const imported: Imported = { memory, sessions: new Map(), seconds: 0, bytes: 0, peakRss: 0 };
  const start = performance.now();
  for await (const { path, size } of claude.list(dir)) {
    await read(path);
    const session = findTranscriptByPath(memory, path)?.sessionId;
    if (session) imported.sessions.set(basename(path, ".jsonl"), session);
    await end(path);
    imported.bytes += size;
    imported.peakRss = Math.max(imported.peakRss, process.memoryUsage.rss());
  }
  indexAllSessions(memory);
  imported.seconds = (performance.now() - start) / 1000;
  return imported;
}

const question = z.object({
  id: z.string(),
  category: z.string(),
  question: z.string(),
  relevant_sessions: z.array(z.string()),
  evidence: z.array(z.object({ session_id: z.string(), line_uuid: z.string() })),
  /** Only what was before counts; milliseconds since the epoch. */
  until: z.optional(z.number()),
});
export type Question = z.infer<typeof question>;

/** Questions with the sessions, and the lines in them, that answer each. */
export function loadQuestions(file: string): Question[] {
  return z.parse(z.array(question), JSON.parse(readFileSync(file, "utf8")));
}

/**
 * A question's half: weights are chosen on one and confirmed on the other. A hash of the id decides, so that nobody
 * picks.
 */
export function halfOf({ id }: Pick<Question, "id">): "choose" | "confirm" {
  let hash = 7;
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % 2 === 1 ? "choose" : "confirm";
}
