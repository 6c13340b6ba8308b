import { shortenText } from "../../base/text/text-size.ts";
import type { Fix } from "../../protocol/fix.ts";
import { findLintRule } from "../../sessions/chunks/units/error-formats.ts";
import { signaturePrefixes } from "../../sessions/commands/commands-of-turn.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { listCommandsWithErrors } from "../../store/memory/commands.ts";
import { type ContextItem, type FailureSource, formatSessionPlace, makeSeenFilter } from "./source.ts";

/** A rule that so many other sessions broke is broken again and again. */
const minSessions = 2;
/** What is looked at: rules of an error, and the latest runs that broke one. */
const maxLooks = { rules: 4, runs: 5 } as const;
/** What is said in a line: changed lines of an edit, and characters of one. */
const maxChange = { lines: 4, chars: 100 } as const;

/**
 * After a linter failed: a rule that several other sessions broke, and the small change after which one of them was rid of it. At
 * most one.
 */
export function findRuleInjections(
  source: FailureSource,
  { sessionUid, error }: { sessionUid: string; error: string },
): ContextItem[] {
  const { memory, root, worktrees, until } = source;
  const sees = makeSeenFilter(source, sessionUid);
  for (const rule of listLintRules(error)) {
    const signature = `${signaturePrefixes.rule}${rule.toLowerCase()}`;
    const runs = listCommandsWithErrors(memory, [signature], { until })
      .map(({ command }) => command)
      .filter((command) => !sees(command.sessionUid));
    const sessions = new Set(runs.map((run) => run.sessionUid)).size;
    if (sessions < minSessions) continue;
    for (const run of runs.slice(0, maxLooks.runs)) {
      const line = run.error?.split("\n").find((each) => findLintRule(each) === rule);
      if (line === undefined) continue;
      const [known] = findFixes([root, ...worktrees], memory, {
        error: line,
        limit: 1,
        until,
        leaves: sees,
      }).errors;
      const change = known?.fix ? describeSmallChange(known.fix) : null;
      if (!known?.fix || change === null) continue;
      const { session_id: session, turn, timestamp } = known.fix;
      return [
        {
          ref: `fix:${session}:${known.turn}:${turn}`,
          kind: `Seen ${runs.length} times in ${sessions} sessions`,
          quote: `${rule} → ${change}`,
          place: formatSessionPlace({ session, turn, at: timestamp === null ? null : Date.parse(timestamp) }),
          why: "other sessions broke the same rule, and one of them fixed it like this",
          score: null,
        },
      ];
    }
  }
  return [];
}

function listLintRules(error: string): string[] {
  const rules = new Set(error.split("\n").flatMap((line) => findLintRule(line) ?? []));
  return [...rules].slice(0, maxLooks.rules);
}

/**
 * "src/a.go: - return err + return fmt.Errorf(…)": an edit that a line has room for; null: none is so small.
 * @param file only an edit of this one
 */
export function describeSmallChange({ edits }: Pick<Fix, "edits">, file?: string): string | null {
  for (const { path, diff } of edits) {
    if (file !== undefined && path !== file) continue;
    const changed = diff.split("\n").filter((line) => /^[+-]\s*\S/.test(line));
    if (changed.length === 0 || changed.length > maxChange.lines) continue;
    const lines = changed.map((line) => `${line[0]} ${shortenText(line.slice(1).trim(), maxChange.chars)}`);
    return `${path}: ${lines.join(" ")}`;
  }
  return null;
}
