import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { findMatch } from "./check.ts";
import { cutRefused, isForAll, type RuleSaid } from "./find-rules.ts";
import type { PastCall, PastTurn } from "./read-past.ts";

/**
 * The rules in edits that were taken back with a reason: an agent wrote lines, the person said why they do not want what is in them, and the
 * lines went. That they went shows that the person meant these; what they named in them is what they did not want.
 */

/** @param turns of one session, in their order */
export function findRulesTakenBack(turns: readonly PastTurn[]): (RuleSaid & { turn: number })[] {
  const before: PastCall[] = [];
  return turns.flatMap((turn) => {
    const found = turn.said
      .filter(({ denied }) => denied === null)
      .flatMap(({ text }) => cutRefused(text))
      .filter(({ name, isDone }) => isTakenBack(name, before, isDone ? null : turn.calls))
      .map(({ text, name }): RuleSaid & { turn: number } => ({
        text,
        check: { kind: "added", text: name },
        holdsOn: isForAll(text),
        isTakenBack: true,
        turn: turn.turn,
      }));
    before.push(...turn.calls);
    return found;
  });
}

/** @param after what the agent did when it was told; null: the person took it back themselves */
function isTakenBack(name: string, before: readonly PastCall[], after: readonly PastCall[] | null): boolean {
  const written = before.filter((call) => hasName(call, name));
  if (written.length === 0 || written.some(({ call }) => defines(call.added, name))) return false;
  if (after === null) return true;
  const files = new Set(written.flatMap(({ call }) => call.files));
  // What was written with it again stands.
  if (after.some((call) => hasName(call, name))) return false;
  return after.some(
    ({ call, removed }) => removed.includes(name) && call.files.some((file) => files.has(file)),
  );
}

/** What the agent has made itself is taken back once: nobody makes it again. */
const defines = (added: string, name: string): boolean =>
  new RegExp(
    `\\b(?:func|function|fun|fn|def|class|type|const|let|var|val|interface|struct|enum)\\s+(?:\\([^)]*\\)\\s*)?${escapeRegExp(name)}\\b|(?<![\\w.])${escapeRegExp(name)}\\s*(?::=|=(?!=)|:(?!:))`,
  ).test(added);

const hasName = ({ call }: PastCall, name: string): boolean =>
  findMatch({ kind: "added", text: name }, call) !== null;
