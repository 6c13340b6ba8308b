/**
 * Commands and errors: whether `pm how` and `pm fix` answer with what worked, and whether automatic context after a failure is
 * right; by questions mined from real sessions, each asked of a memory that knows only what was before.
 *
 *   npm run bench:commands -- --sessions DIR
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --markdown      print tables for Markdown
 *   --shown         also print what was wrong
 *
 * DIR holds transcripts of Claude Code. Half of the sessions ("choose") were looked at when the rules were made.
 */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { listCommands } from "../src/store/memory/commands.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import { type Asked, askFix, askHow, replayFailures } from "./commands/ask.ts";
import { printTable, scratchDir } from "./measure.ts";
import { halfOf, importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    markdown: { type: "boolean", default: false },
    shown: { type: "boolean", default: false },
  },
});

if (!options.sessions) {
  console.error("usage: npm run bench:commands -- --sessions DIR [options, see bench/commands.ts]");
  process.exit(2);
}

const scratch = scratchDir("commands");
const file = options.memory ?? join(scratch, "memory.db");
const memory = existsSync(file)
  ? Memory.open(file, { readonly: true })
  : (await importSessions(options.sessions, file)).memory;
const halves = new Map(
  listTranscripts(memory).map(({ path, sessionId }) => [sessionId, halfOf({ id: basename(path, ".jsonl") })]),
);
const halfOfSession = (id: number) => halves.get(id) ?? "choose";
const runs = listCommands(memory)
  .filter(({ at }) => at !== null)
  .reverse();
print([...askHow(memory, runs), ...askFix(memory, runs)], halfOfSession);
const replayed = replayFailures(memory, options.sessions, runs);
console.log("");
printTable(
  ["half", "failures", "something useful known", "spoke", "precision", "coverage", "tokens (median)"],
  (["choose", "confirm"] as const).map((half) => {
    const some = replayed.filter(({ sessionId }) => halfOfSession(sessionId) === half);
    const spoke = some.filter(({ said }) => said !== null);
    const right = spoke.filter(({ isRight }) => isRight).length;
    const known = some.filter(({ isKnown }) => isKnown).length;
    const tokens = spoke.map((one) => one.tokens).sort((a, b) => a - b);
    return [
      half,
      `${some.length}`,
      `${known}`,
      `${spoke.length}`,
      share(right, spoke.length),
      share(right, known),
      `${tokens[tokens.length >> 1] ?? "-"}`,
    ];
  }),
  options,
);
if (options.shown) {
  for (const { said, isRight, error } of replayed)
    if (said !== null)
      console.log(`${isRight ? "+" : "-"} ${error.slice(0, 120).replace(/\n/g, " / ")}\n    ${said}`);
}
memory.close();

function share(count: number, of: number): string {
  return of === 0 ? "-" : `${(count / of).toFixed(2)} (${count} of ${of})`;
}

function print(asked: readonly Asked[], halfOfSession: (id: number) => "choose" | "confirm"): void {
  const kinds = [...new Set(asked.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => [
    kind,
    ...(["choose", "confirm"] as const).map((half) => {
      const some = asked.filter((one) => one.kind === kind && halfOfSession(one.sessionId) === half);
      return share(some.filter(({ isRight }) => isRight).length, some.length);
    }),
  ]);
  printTable(["question", "choose", "confirm"], rows, options);
  if (!options.shown) return;
  for (const { kind, question, answer, isRight } of asked)
    if (!isRight) console.log(`- ${kind}: ${question.slice(0, 160)}\n    ${answer.slice(0, 160)}`);
}
