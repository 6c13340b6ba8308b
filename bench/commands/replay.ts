import { fixesOf } from "../../src/queries/commands/fix.ts";
import { injectionsForFailure } from "../../src/queries/context/for-failure.ts";
import { relativizer } from "../../src/sessions/relative-paths.ts";
import { storedTurns } from "../../src/sessions/stored-turns.ts";
import type { CommandRecord } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { sessionById } from "../../src/store/memory/sessions/sessions.ts";
import { tokensOf } from "../../src/text/text-size.ts";

interface Replayed {
  sessionId: number;
  error: string;
  /** null: nothing was said. */
  said: string | null;
  tokens: number;
  /** The session then edited a file that the fix edited, or ran a command of it. */
  isRight: boolean;
  /** Something was known that would have been right. */
  isKnown: boolean;
}

/** So many commands on a session is about something else. */
const maxLater = 15;

/** Every failure in the order of time, with what would have been said to the agent by a memory that knew only what was before. */
export function replayFailures(memory: Memory, root: string, runs: readonly CommandRecord[]): Replayed[] {
  const formOf = new Map(runs.map(({ line, form }) => [line, form]));
  const told = new Set<string>();
  const edited = new Map<number, { seq: number; path: string }[]>();
  return runs
    .filter(({ outcome }) => outcome === "failed")
    .map((failure): Replayed => {
      const { sessionId, sessionUid, seq, name, form, at } = failure;
      const error = failure.error ?? "";
      const later = runs.filter((run) => run.sessionId === sessionId && run.seq > seq);
      const end = later.find((run) => run.name === name && run.outcome === "worked") ?? later[maxLater];
      if (!edited.has(sessionId)) edited.set(sessionId, editsOf(memory, root, sessionId));
      const isBefore = (one: { seq: number }) => end === undefined || one.seq <= end.seq;
      const paths = new Set(
        edited
          .get(sessionId)!
          .filter((one) => one.seq > seq && isBefore(one))
          .map(({ path }) => path),
      );
      const forms = new Set(later.filter(isBefore).map((run) => run.form));
      const source = { root, worktrees: [], memory, until: at, origin: null };
      const { errors } = fixesOf([root], memory, {
        ...{ error, limit: 3, until: at },
        leaves: (uid) => uid === sessionUid,
      });
      const helps = ({ fix }: (typeof errors)[number]) =>
        fix !== null &&
        (fix.edits.some(({ path }) => paths.has(path)) ||
          fix.commands.some((line) => formOf.get(line) !== form && forms.has(formOf.get(line) ?? "")));
      const [injection] = injectionsForFailure(source, { sessionUid, error }).filter(({ ref }) => {
        const isNew = !told.has(`${sessionId} ${ref}`);
        told.add(`${sessionId} ${ref}`);
        return isNew;
      });
      const said = injection === undefined ? null : injection.quote;
      const known = errors.find(
        (one) => injection?.ref === `fix:${one.session_id}:${one.turn}:${one.fix?.turn}`,
      );
      return {
        ...{ sessionId, error, said, tokens: said === null ? 0 : tokensOf(`${said} ${injection!.place}`) },
        isRight: known !== undefined && helps(known),
        isKnown: errors.some(helps),
      };
    });
}

function editsOf(memory: Memory, root: string, sessionId: number): { seq: number; path: string }[] {
  const relativize = relativizer({ root, worktrees: [], cwd: sessionById(memory, sessionId)?.cwd ?? "" });
  const edits: { seq: number; path: string }[] = [];
  for (const { lines } of storedTurns(memory, sessionId))
    for (const { seq, entries } of lines)
      for (const entry of entries)
        if (entry.kind === "tool_use")
          for (const { path, how } of entry.files)
            if (how !== "read") edits.push({ seq, path: relativize(path) });
  return edits;
}
