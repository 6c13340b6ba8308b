import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Shorter lines are in many files. */
const shortest = 13;

/** Read from git, and not with what is measured. */
export function addedLines(dir: string, hash: string): readonly string[] {
  const args = ["-C", dir, "show", "--format=", "--unified=0", "--no-color", "--no-ext-diff", hash];
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 1e9 })
    .split("\n")
    .filter((line) => line.startsWith("+") && !line.startsWith("+++ "))
    .map((line) => line.slice(1).trim())
    .filter((line) => line.length >= shortest);
}

export const shareOf = (lines: readonly string[], held: ReadonlySet<string>): number =>
  lines.length === 0 ? 0 : lines.filter((line) => held.has(line)).length / lines.length;

/** The lines of what a session's calls were given, read from transcripts as they lie there. */
export class TranscriptTexts {
  private readonly known = new Map<string, ReadonlySet<string>>();
  private readonly names: readonly string[];

  constructor(private readonly dir: string) {
    this.names = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
  }

  linesOf(uid: string): ReadonlySet<string> {
    let lines = this.known.get(uid);
    if (lines === undefined) {
      const held = new Set<string>();
      for (const name of this.names.filter((each) => each.includes(uid))) {
        for (const line of readFileSync(join(this.dir, name), "utf8").split("\n")) {
          if (!line.includes('"tool_use"')) continue;
          for (const text of givenIn(JSON.parse(line))) {
            for (const each of text.split("\n")) if (each.trim().length >= shortest) held.add(each.trim());
          }
        }
      }
      lines = held;
      this.known.set(uid, lines);
    }
    return lines;
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
