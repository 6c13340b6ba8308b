/**
 * Checkpoints on real history: whether Pommel finds the sessions that led to commits by itself.
 *
 *   npm run bench:checkpoints -- --repository DIR --sessions DIR
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --near HOURS    a commit counts if a session that it names has a message so long before it (default 1)
 *   --json          print everything, down to each commit
 *   --wrong         also print the commits linked to a session that they do not name, or to none
 *
 * DIR is a clone, with all branches, of a repository whose commits name the sessions that led to them in
 * `Entire-Checkpoint:` trailers (https://github.com/entireio/cli), and the transcripts of those sessions. Trailers are
 * read only to judge.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { backfill } from "../src/attribution/checkpoints/backfill.ts";
import { foreignNotesOf } from "../src/attribution/foreign/foreign-notes.ts";
import { projectAt } from "../src/project/paths.ts";
import { createScrubber } from "../src/redact/create-scrubber.ts";
import { checkpointOfCommit } from "../src/store/memory/commits/checkpoints.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    repository: { type: "string" },
    sessions: { type: "string" },
    memory: { type: "string" },
    near: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    wrong: { type: "boolean", default: false },
  },
});
const { repository, sessions } = options;
if (!repository || !sessions) {
  console.error(
    "usage: npm run bench:checkpoints -- --repository DIR --sessions DIR [options, see the file]",
  );
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "pommel-checkpoints-"));
try {
  const memory = await open(options.memory ?? join(scratch, "memory.db"), sessions);
  const start = performance.now();
  const report = await backfill({
    memory,
    project: projectAt(repository),
    roots: [repository],
    trustsTrailers: false,
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
    log: { debug() {}, info() {}, warn: console.error, error: console.error },
  });
  const seconds = (performance.now() - start) / 1000;
  const judged = await judge(memory, repository, Number(options.near) * 3_600_000);
  if (options.json) console.log(JSON.stringify(judged, null, 2));
  else print(judged, { ...report, seconds });
  memory.close();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function open(file: string, from: string): Promise<Memory> {
  const known = Memory.open(file, { readonly: false });
  if (known.prepare("SELECT 1 FROM turns LIMIT 1").get() !== undefined) return known;
  known.close();
  return (await importSessions(from, file)).memory;
}

/** A commit that names sessions which are remembered. */
interface Judged {
  hash: string;
  subject: string;
  named: string[];
  /** A session that it names has a message shortly before. */
  isNear: boolean;
  /** By the session's own id, the one with the most lines first. */
  bound: { session: string; lines: number; how: string }[];
}

async function judge(memory: Memory, dir: string, near: number): Promise<Judged[]> {
  const commits = memory
    .prepare("SELECT hash, subject, authored_at AS at FROM commits ORDER BY authored_at")
    .all() as {
    hash: string;
    subject: string;
    at: number;
  }[];
  const notes = await foreignNotesOf(
    dir,
    commits.map(({ hash }) => hash),
  );
  const wasAtWork = memory.prepare(
    `SELECT 1 FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE s.uid = @uid AND t.started_at <= @at + 60000 AND coalesce(t.ended_at, t.started_at) >= @at - @near`,
  );
  const isKnown = memory.prepare(
    "SELECT 1 FROM sessions s WHERE uid = ? AND EXISTS (SELECT 1 FROM turns WHERE session_id = s.id)",
  );
  return commits.flatMap(({ hash, subject, at }): Judged[] => {
    const named = (notes.get(hash)?.sessions ?? []).filter((uid) => isKnown.get(uid) !== undefined);
    if (named.length === 0) return [];
    const sessions = checkpointOfCommit(memory, hash)?.sessions ?? [];
    return [
      {
        hash,
        subject,
        named,
        isNear: named.some((uid) => wasAtWork.get({ uid, at, near }) !== undefined),
        bound: sessions.map(({ sessionUid, lines, how }) => ({ session: rootOf(sessionUid), lines, how })),
      },
    ];
  });
}

/** The session that started a subagent's session. */
function rootOf(uid: string): string {
  return uid.split("/", 1)[0]!;
}

function print(
  judged: readonly Judged[],
  cost: { commits: number; lookedAt: number; seconds: number },
): void {
  const near = judged.filter(({ isNear }) => isNear);
  const isFound = ({ named, bound }: Judged) => bound.some(({ session }) => named.includes(session));
  const isOther = ({ named, bound }: Judged) => bound[0] !== undefined && !named.includes(bound[0].session);
  console.log(
    `${cost.lookedAt} of ${cost.commits} commits looked at in ${cost.seconds.toFixed(1)} s ` +
      `(${((1000 * cost.seconds) / Math.max(cost.lookedAt, 1)).toFixed(0)} ms each)`,
  );
  for (const [name, all] of [
    ["name a session that is remembered", judged],
    ["of these: with conversation shortly before", near],
  ] as const) {
    const found = all.filter(isFound).length;
    const bound = all.filter((commit) => commit.bound.length > 0).length;
    const other = all.filter(isOther).length;
    console.log(
      `${String(all.length).padStart(5)} commits ${name}: ${found} bound to it (${(found / all.length).toFixed(3)}), ` +
        `${bound - found} only to others, ${all.length - bound} to none; first of all to another: ${other}`,
    );
  }
  if (!options.wrong) return;
  for (const commit of judged) {
    if (isFound(commit) && !isOther(commit)) continue;
    const short = (uid: string) => uid.slice(0, 8);
    const bound = commit.bound.map(({ session, lines, how }) => `${short(session)} (${lines} lines, ${how})`);
    console.log(
      `${commit.isNear ? "near" : "    "} ${commit.hash.slice(0, 10)} ${commit.subject.slice(0, 50).padEnd(50)} ` +
        `names ${commit.named.map(short).join(", ")}; bound: ${bound.join(", ") || "none"}`,
    );
  }
}
