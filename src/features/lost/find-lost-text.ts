import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { GitFailure, readGitBytes } from "../../git/git.ts";
import { listRecordedEdits } from "../../sessions/recorded-edits.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { LostText, LostTextAnswer } from "./operation.ts";

/** Turns that are read, the latest; lines of a text that are shown; bytes of a file's history that are read. */
const maxCounts = { turns: 300, lines: 400, history: 64 * 1024 * 1024 } as const;
/** Shorter lines are anywhere, and no loss. Characters. */
const minLine = 6;
/** A text is lost when so much of it is. */
const minLost = 0.5;

/**
 * Text of a file that agents wrote or removed and that neither a commit nor the file holds, the latest first. Nothing is
 * written over.
 * @param roots of the project and its worktrees
 */
export async function findLostTexts(
  memory: Memory,
  roots: readonly string[],
  { file, limit, signal }: { file: string; limit: number; signal?: AbortSignal | undefined },
): Promise<LostTextAnswer> {
  const [root = ""] = roots;
  const edits = listRecordedEdits(memory, roots, file, { maxTurns: maxCounts.turns });
  const held = new Set([...readCurrentLines(root, file), ...(await readCommittedLines(root, file, signal))]);
  const isLost = (lines: readonly string[]) => {
    const telling = lines.map((line) => line.trim()).filter((line) => line.length >= minLine);
    return telling.length > 0 && telling.filter((line) => !held.has(line)).length / telling.length >= minLost;
  };
  const removed = new Set(edits.flatMap((edit) => edit.removed.map((line) => line.trim())));
  const seen = new Set<string>();
  const texts: LostText[] = [];
  for (const { sessionId, sessionUid, author, turn, seq, at, ...edit } of edits.toReversed()) {
    const place = { session_id: sessionUid, author, turn, timestamp: formatIsoTime(at) };
    const keep = (lines: string[], how: Pick<LostText, "lost_by" | "command">) => {
      const key = lines.join("\n");
      if (seen.has(key) || !isLost(lines)) return;
      seen.add(key);
      texts.push({ ...place, ...how, lines: lines.slice(0, maxCounts.lines) });
    };
    keep(edit.removed, { lost_by: "edit", command: null });
    // What no later edit removed was taken away by something else.
    if (edit.added.some((line) => removed.has(line.trim()))) continue;
    const command = isLost(edit.added) ? findUndoingCommand(memory, sessionId, seq) : null;
    if (command !== null) keep(edit.added, { lost_by: "checkout", command });
  }
  return { file, texts: texts.slice(0, limit), total: texts.length };
}

/** The command that undid what a session wrote; null: none of its own. */
function findUndoingCommand(memory: Memory, sessionId: number, seq: number): string | null {
  const later = listCommands(memory, { sessionId }).filter(
    (run) => run.seq > seq && run.outcome !== "failed",
  );
  return later.findLast(({ name }) => undoing.test(name))?.line ?? null;
}

const undoing = /^git (?:checkout|restore|reset|clean|stash|switch|stash drop)$/;

function readCurrentLines(root: string, file: string): string[] {
  try {
    return readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((line) => line.trim());
  } catch {
    return [];
  }
}

/** Every line that a commit of any branch added to the file, stashes included. */
async function readCommittedLines(root: string, file: string, signal?: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  const asked = ["log", "--all", "--format=", "-p", "--no-color", "--unified=0", "--no-ext-diff", "--", file];
  let size = 0;
  let rest = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of readGitBytes(root, asked, { signal })) {
      size += bytes.length;
      if (size > maxCounts.history) break;
      const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = parts.pop()!;
      for (const line of parts) if (line.startsWith("+")) lines.push(line.slice(1).trim());
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  return lines;
}
