import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readForeignNotes } from "../../src/attribution/foreign/foreign-notes.ts";
import { findCheckpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { Binding } from "../../src/store/memory/memory-records.ts";

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
  for (const [hash, { sessions }] of await readForeignNotes(dir, hashes)) notes.set(hash, sessions);
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
    const bindings = findCheckpointOfCommit(memory, hash)?.sessions ?? [];
    return {
      hash,
      subject,
      named,
      stored,
      near: atWork,
      findable: atWork.filter((uid) => texts.shareOf(uid, added()) >= findableShare),
      links: bindings.map(({ sessionUid, lines, how, confidence, turns }) => ({
        session: sessionUid.split("/", 1)[0]!,
        lines,
        how,
        confidence,
        turns,
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

/** What a commit holds word for word of a session's calls, read from git and from the transcripts, and not with what is measured. */

/** Shorter lines are in many files. */
const shortest = 13;
/** So many lines, or all that are new, prove that a session had a part in a commit. */
const enough = 3;

const git = (dir: string, args: readonly string[]): string =>
  execFileSync("git", ["-C", dir, ...args], {
    encoding: "utf8",
    maxBuffer: 1e9,
    stdio: ["ignore", "pipe", "ignore"],
  });

const telling = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.trim().length >= shortest ? [line.trim()] : []));

/** The lines that a commit added. */
function addedLines(dir: string, hash: string): readonly string[] {
  const diff = git(dir, ["show", "--format=", "--unified=0", "--no-color", "--no-ext-diff", hash]);
  const added = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "));
  return telling(added.map((line) => line.slice(1)).join("\n"));
}

/** Those of them that none of its files had before. */
function newLines(dir: string, hash: string): readonly string[] {
  const before = new Set<string>();
  const paths = git(dir, ["diff-tree", "--no-commit-id", "--name-only", "-r", "-z", hash]).split("\0");
  for (const path of paths.filter((each) => each !== "")) {
    try {
      for (const line of telling(git(dir, ["show", `${hash}^:${path}`]))) before.add(line);
    } catch {
      // It is new.
    }
  }
  return addedLines(dir, hash).filter((line) => !before.has(line));
}

/** What sessions' calls were given, from transcripts as they lie there. */
class TranscriptTexts {
  /** When each session first gave a line to a call: line, session, milliseconds since the epoch. */
  private lines: ReadonlyMap<string, ReadonlyMap<string, number>> | null = null;

  constructor(private readonly dir: string) {}

  /** The share of lines that stand in a session's calls. */
  shareOf(uid: string, lines: readonly string[]): number {
    if (lines.length === 0) return 0;
    return lines.filter((line) => this.sessionsWith(line).has(uid)).length / lines.length;
  }

  /** Whether lines show that a session had a part in them: its calls had them before, and those of no other session did. */
  provesPart(uid: string, lines: readonly string[], at: number): boolean {
    const own = lines.filter((line) => {
      const by = [...this.sessionsWith(line)].filter(([, first]) => first <= at);
      return by.length === 1 && by[0]![0] === uid;
    });
    return own.length > 0 && own.length >= Math.min(enough, lines.length);
  }

  private sessionsWith(line: string): ReadonlyMap<string, number> {
    this.lines ??= this.read();
    return this.lines.get(line) ?? new Map();
  }

  private read(): Map<string, Map<string, number>> {
    const found = new Map<string, Map<string, number>>();
    for (const name of readdirSync(this.dir).filter((each) => each.endsWith(".jsonl"))) {
      // Names may begin with a date.
      const uid = name.slice(-"01234567-89ab-cdef-0123-456789abcdef.jsonl".length, -".jsonl".length);
      for (const line of readFileSync(join(this.dir, name), "utf8").split("\n")) {
        if (!line.includes('"tool_use"')) continue;
        const record = JSON.parse(line) as { timestamp?: string };
        const at = Date.parse(record.timestamp ?? "") || 0;
        for (const text of givenIn(record)) {
          for (const each of telling(text)) {
            const sessions = found.get(each) ?? new Map<string, number>();
            found.set(each, sessions);
            sessions.set(uid, Math.min(sessions.get(uid) ?? at, at));
          }
        }
      }
    }
    return found;
  }
}

/** The texts in the inputs of a line's calls, but for those that an edit takes out. */
function givenIn(line: unknown): string[] {
  const content = (line as { message?: { content?: unknown } }).message?.content;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (block?.type === "tool_use" ? textsIn(block.input) : []));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (key === "old_string" ? [] : textsIn(each)));
}
