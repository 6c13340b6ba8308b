import type { KnownError } from "../../protocol/operations/commands.ts";
import { signatureOf, signaturesOf } from "../../sessions/commands/error-signature.ts";
import { fixesOf } from "../commands/fix.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

/** Characters of an error that are searched for. */
const maxError = 8000;
/** Lines of it that are compared. */
const maxLines = 24;

type FailureSource = Pick<ContextSource, "root" | "worktrees" | "memory" | "until" | "origin">;

/** After a command failed: what was done about the same error in another session; usually nothing. */
export function injectionsForFailure(
  source: FailureSource,
  { sessionUid, error }: { sessionUid: string; error: string },
): Injection[] {
  const { memory, root, worktrees, until } = source;
  const sees = inSight(source, sessionUid);
  const { verdict, errors } = fixesOf([root, ...worktrees], memory, {
    ...{ error: error.slice(-maxError), limit: 3, until },
    leaves: sees,
  });
  const known = verdict === "found" ? errors.find((one) => mayFix(error, one)) : undefined;
  if (known?.fix == null) return [];
  const { fix } = known;
  const files = [...new Set(fix.edits.map(({ path }) => path))];
  const done = [
    files.length === 0 ? "" : `edited ${files.slice(0, 3).join(", ")}`,
    fix.edits.length === 0 ? `ran ${fix.commands.slice(-2).join(", then ")}` : "",
    fix.commit === null ? "" : `commit ${fix.commit.hash.slice(0, 7)}`,
  ];
  return [
    {
      ref: `fix:${known.session_id}:${known.turn}:${fix.turn}`,
      kind: "Fixed before",
      quote: `${known.error.split("\n")[0] ?? ""} → ${done.filter((part) => part !== "").join("; ")}`,
      place: placeOf({
        session: fix.session_id,
        turn: fix.turn,
        at: fix.timestamp === null ? null : Date.parse(fix.timestamp),
      }),
      why: "the same error was fixed before",
      score: null,
    },
  ];
}

const fileName = /[\w-]+\.[a-z]\w{0,4}\b/gi;
const testName = /^(?:[\w.]*[tT]est\w*|--- FAIL: .*|not ok .*)$/;

/**
 * Whether what fixed an error then may fix this one: something else was run, or a file was edited that this error names as
 * well, or the error is that of the same test. A rule of a linter is broken anew each time.
 */
function mayFix(error: string, { error: before, fix }: KnownError): boolean {
  const [line = ""] = before.split("\n");
  const signature = signatureOf(line);
  // Only the very same error: this is not asked for.
  if (fix === null || signature === null || !signaturesOf(error, maxLines).includes(signature)) return false;
  if (fix.edits.length === 0 || testName.test(line.trim())) return true;
  const named = new Set(error.match(fileName) ?? []);
  return fix.edits.some(({ path }) => named.has(path.slice(path.lastIndexOf("/") + 1)));
}
