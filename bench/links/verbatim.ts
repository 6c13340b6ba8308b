import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
export function addedLines(dir: string, hash: string): readonly string[] {
  const diff = git(dir, ["show", "--format=", "--unified=0", "--no-color", "--no-ext-diff", hash]);
  const added = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "));
  return telling(added.map((line) => line.slice(1)).join("\n"));
}

/** Those of them that none of its files had before. */
export function newLines(dir: string, hash: string): readonly string[] {
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
export class TranscriptTexts {
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
