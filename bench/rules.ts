/**
 * What would be proposed as rules from a person's own sessions, and how often the rules would have spoken in the past.
 *
 *   npm run bench:rules -- [--sessions DIR] [--memory FILE] [--checkout DIR] [--markdown]
 *
 * DIR holds transcripts of one person, of any agent and project; FILE keeps what was imported for the next run. Of a checkout, the files
 * of instructions (AGENTS.md, CLAUDE.md) are read as well, or alone. Each proposal is
 * printed with all places where it was said and examples of what it would have caught: whether the person meant it, a reader says.
 * Below it the common rules, whether the person said them or not: a call that one of these speaks at, that the prompt did not ask for
 * and that the person did not deny, is counted as a false hit. A rule that reminds does so once in a session: these are counted as well.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { RuleCheck } from "../src/features/rules/check.ts";
import { findProposals, makeReplay, type Replayed, replay } from "../src/features/rules/propose.ts";
import { findRulesWritten } from "../src/features/rules/read-instructions.ts";
import { readPast } from "../src/features/rules/read-past.ts";
import { describeCheck } from "../src/features/rules/words.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { printTable, scratchDir } from "./measure.ts";
import { importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    checkout: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
if (options.sessions === undefined && options.checkout === undefined) {
  console.error("usage: npm run bench:rules -- --sessions DIR [options, see bench/rules.ts]");
  process.exit(2);
}
const place = resolve(options.memory ?? join(scratchDir("rules"), "memory.db"));
process.env.POMMEL_HOME = join(scratchDir("rules-home"), "home");
// Files of instructions of the person who measures are no part of it.
process.env.CLAUDE_CONFIG_DIR = scratchDir("rules-claude");
const memory = existsSync(place)
  ? Memory.open(place, { readonly: true })
  : options.sessions === undefined
    ? Memory.open(place, { readonly: false })
    : (await importSessions(options.sessions, place)).memory;

const { checkout } = options;
const { proposals, sessions, turns } = await findProposals(memory, new Set(), (used) =>
  checkout === undefined ? [] : findRulesWritten(resolve(checkout), used, (text) => text),
);
console.log(`${sessions} sessions, ${turns} turns, ${proposals.length} proposals`);
for (const { text, check, said, sessions: inSessions, replay: past } of proposals) {
  console.log(`\n${describeCheck(check)}: ${text}`);
  console.log(
    `  in ${inSessions} sessions; ${past.hits} of ${past.calls} calls, ${past.denied} denied, ${past.before} before it was said`,
  );
  for (const one of said) console.log(`  said ${one.file ?? `${one.session_id}:${one.turn}`} ${one.text}`);
  for (const one of past.examples)
    console.log(`  hit ${one.session_id}:${one.turn}${one.was_denied ? " (denied)" : ""} ${one.what}`);
}

const common: readonly RuleCheck[] = [
  { kind: "command", words: ["git", "commit"] },
  { kind: "command", words: ["git", "commit", "--amend"] },
  { kind: "command", words: ["git", "push"] },
  { kind: "command", words: ["git", "push", "--force"] },
  { kind: "command", words: ["git", "push", "main"] },
  { kind: "command", words: ["git", "rebase"] },
  { kind: "command", words: ["git", "stash"] },
  { kind: "command", words: ["git", "reset", "--hard"] },
  { kind: "command", words: ["gh", "pr", "create"] },
];
const replayed = common.map(
  (check): Replayed => ({
    check,
    replay: makeReplay(),
    latestTurn: new Map(),
    asked: new Set(),
    reminded: new Set(),
  }),
);
for await (const turn of readPast(memory)) for (const one of replayed) replay(one, turn);
const share = (part: number, all: number): string =>
  all === 0 ? "-" : `${((part / all) * 100).toFixed(2)} %`;
console.log("");
printTable(
  ["rule", "calls", "it applies", "denied by the person", "false hits of calls", "reminders", "of calls"],
  replayed.map((one) => {
    const { calls, hits, denied, reminders } = one.replay;
    return [
      describeCheck(one.check),
      `${calls}`,
      `${hits}`,
      `${denied}`,
      share(hits - denied, calls),
      `${reminders}`,
      share(reminders, calls),
    ];
  }),
  options,
);
memory.close();
