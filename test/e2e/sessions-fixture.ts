import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { changeMemory } from "../../src/answers/changing.ts";
import { readSpool } from "../../src/answers/daemon/operation.ts";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { writeItem } from "../../src/faces/hooks/deliver.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import { searchTranscripts } from "../../src/features/search/operation.ts";
import { readState } from "../../src/features/status/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import type { transcriptSearchRequest } from "../../src/protocol/search-sessions.ts";
import type { Shaped } from "../../src/protocol/shape-parts.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { sumUpSession } from "../../src/sessions/summaries/sum-up.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { type TranscriptFixture, transcript } from "../support/transcript-fixture.ts";
import type { TranscriptOptions } from "../support/transcript-parts.ts";
import { until } from "./daemon-fixture.ts";

/** Where Claude Code would keep the transcripts of a project. */
export function transcriptDir(project: Project): string {
  const dir = join(process.env.HOME!, ".claude", "projects", project.root.replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** A session in the project. */
export const sessionIn = (
  project: Project,
  session: string,
  more: TranscriptOptions = {},
): TranscriptFixture => transcript({ session, cwd: project.root, ...more });

/** Writes sessions' transcripts to `dir` and imports them, as the daemon does, without one. */
export const importHere = (project: Project, sessions: readonly TranscriptFixture[], dir: string) =>
  changeMemory(
    project,
    async (work) => {
      for (const made of sessions) {
        await ingestTranscript({ ...work, agent: claude }, made.writeTo(dir));
        await sumUpSession({ ...work, llm: null }, made.session);
      }
    },
    { create: true },
  );

export const ask = (
  project: Project,
  q: string,
  more: Partial<Shaped<typeof transcriptSearchRequest>> = {},
) => callDaemon(project.root, searchTranscripts, { q, ...more });

/** Sessions that a question finds, best first. */
export async function sessionsFound(project: Project, q: string): Promise<string[]> {
  const { results }: TranscriptSearchResponse = await ask(project, q);
  return [...new Set(results.map(({ session_id }) => session_id))];
}

/** Waits until nothing is read and nothing is due, for which the project is opened; sessions may still wait to be summed up. */
export const untilRead = (project: Project) =>
  until(async () => {
    const queue = await callDaemon(project.root, readState, {})
      .then(() => callDaemon(project.root, showQueue, {}))
      .catch(() => null);
    if (queue === null || queue.past === null) return false;
    const { running } = queue.sessions;
    const { memory } = await callDaemon(project.root, searchTranscripts, { q: "anything" });
    return running.length === 0 && memory.pending === 0;
  });

/** What a hook leaves. */
export function hookItem(project: Project, event: string, payload: Record<string, string>, at = Date.now()) {
  const item = { kind: "agent-hook", event, received_at: at, place: project.root, payload };
  writeItem(item);
  return callDaemon(project.root, readSpool, {});
}

const tables = {
  sessions: `SELECT s.uid, s.agent, p.uid AS parent, s.parent_tool_use, s.agent_type, f.uid AS origin, s.title,
    s.title_source, s.cwd, s.branch, s.started_at, s.last_at FROM sessions s LEFT JOIN sessions p ON p.id = s.parent_id
    LEFT JOIN sessions f ON f.id = s.forked_from ORDER BY s.uid`,
  transcripts: `SELECT path, t.agent, uid, "offset", line_hash, size, skipped
    FROM transcripts t LEFT JOIN sessions s ON s.id = session_id ORDER BY path`,
  lines:
    "SELECT l.uid, s.uid AS session, seq, turn FROM lines l JOIN sessions s ON s.id = session_id ORDER BY 2, 3",
  turns: `SELECT s.uid, number, t.started_at, t.ended_at, t.branch, abandoned, group_start, prompt, tools, hex(content)
    FROM turns t JOIN sessions s ON s.id = session_id ORDER BY 1, 2`,
  turn_files: `SELECT s.uid, number, path, how FROM turn_files JOIN turns t ON t.id = turn_id
    JOIN sessions s ON s.id = session_id ORDER BY 1, 2, 3`,
  usage: `SELECT s.uid, message_uid, turn, model, input, output, cache_read, cache_write
    FROM usage JOIN sessions s ON s.id = session_id ORDER BY 1, 2`,
  chunks: `SELECT uid, position, first_turn, last_turn, first_seq, last_seq, type, kind, event_type, abandoned, branch,
    started_at, ended_at, text, files, (SELECT uid FROM annotations a WHERE a.id = annotation_id) AS note
    FROM chunks ORDER BY uid`,
  vectors: `SELECT c.uid, model, dimensions, hex(data) FROM vectors JOIN chunks c ON c.id = chunk_id ORDER BY 1, 2`,
  annotations:
    "SELECT uid, session_uid, turn, line_uid, at, source, branch, note FROM annotations ORDER BY uid",
  summaries: `SELECT s.uid, source, up_to_turn, at, model, text FROM summaries JOIN sessions s ON s.id = session_id
    ORDER BY 1, 2, 3`,
  secrets: `SELECT s.uid, type, number FROM secrets JOIN sessions s ON s.id = session_id ORDER BY 1, 2, 3`,
};

/** The content of the memory, table by table, without values that depend on when it was stored. */
export function contentOfMemory(project: Project): Record<string, unknown[]> {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  try {
    const content: Record<string, unknown[]> = {};
    for (const [table, sql] of Object.entries(tables)) content[table] = memory.prepare(sql).all();
    // Of the full-text index, in how many chunks each word stands.
    memory.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, chunk_terms, row)");
    content.words = memory.prepare("SELECT term, doc, cnt FROM temp.words ORDER BY term").all();
    return content;
  } finally {
    memory.close();
  }
}
