import { foreignNotesOf } from "../../src/attribution/foreign/foreign-notes.ts";
import { checkpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { Binding } from "../../src/store/memory/memory-records.ts";
import { addedLines, newLines, TranscriptTexts } from "./verbatim.ts";

/** A session that a commit is linked with. */
export interface Link extends Pick<Binding, "lines" | "how" | "confidence" | "turns"> {
  /** The session's own id; of a subagent's the one that started it. */
  session: string;
  /** The session's last record was longer than two hours before the commit. */
  isLate: boolean;
  /** Of a session that no trailer names: its calls had new lines of the commit before it was made, and no other session's had. */
  isProven: boolean;
}

export interface JudgedCommit {
  hash: string;
  subject: string;
  /** Sessions that its trailers name, whether they are stored or not. */
  named: string[];
  /** Those of them that are. */
  stored: string[];
  /** Of these, the ones with a message shortly before. */
  near: string[];
  /** Of these, the ones whose tool calls hold one in ten of its added lines: the others have nothing to be found by. */
  findable: string[];
  /** The one with the most lines first. */
  links: Link[];
}

const lateMs = 2 * 3_600_000;

/** Less is no evidence. */
const findableShare = 0.1;

/**
 * Every commit that was analysed, with its links and what its trailers say.
 * @param near milliseconds
 */
export async function judgeLinks(
  memory: Memory,
  { repository: dir, sessions, near }: { repository: string; sessions: string; near: number },
): Promise<JudgedCommit[]> {
  const commits = memory
    .prepare(
      "SELECT hash, subject, authored_at AS at, committed_at AS committedAt FROM commits ORDER BY authored_at",
    )
    .all() as { hash: string; subject: string; at: number; committedAt: number }[];
  const notes = new Map<string, string[]>();
  const hashes = commits.map(({ hash }) => hash);
  for (const [hash, { sessions }] of await foreignNotesOf(dir, hashes)) notes.set(hash, sessions);
  const wasAtWork = memory.prepare(
    `SELECT 1 FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE s.uid = @uid AND t.started_at <= @at + 60000 AND coalesce(t.ended_at, t.started_at) >= @at - @near`,
  );
  const last = memory.prepare(
    `SELECT max(coalesce(t.ended_at, t.started_at)) FROM turns t JOIN sessions s ON s.id = t.session_id
     WHERE s.uid = ?`,
  );
  const endOf = (uid: string) => (last.pluck().get(uid) as number | null) ?? 0;
  const texts = new TranscriptTexts(sessions);
  return commits.map(({ hash, subject, at, committedAt }) => {
    const [added, fresh] = [lazy(() => addedLines(dir, hash)), lazy(() => newLines(dir, hash))];
    const named = notes.get(hash) ?? [];
    const stored = named.filter((uid) => endOf(uid) > 0);
    const atWork = stored.filter((uid) => wasAtWork.get({ uid, at, near }) !== undefined);
    const bindings = checkpointOfCommit(memory, hash)?.sessions ?? [];
    return {
      hash,
      subject,
      named,
      stored,
      near: atWork,
      findable: atWork.filter((uid) => texts.shareOf(uid, added()) >= findableShare),
      links: bindings.map(({ sessionUid, lines, how, confidence, turns }) => ({
        ...{ session: sessionUid.split("/", 1)[0]!, lines, how, confidence, turns },
        isLate: at - endOf(sessionUid) > lateMs,
        isProven:
          named.length > 0 &&
          !named.includes(sessionUid) &&
          texts.provesPart(sessionUid, fresh(), Math.max(at, committedAt)),
      })),
    };
  });
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
