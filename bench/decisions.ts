/**
 * Decisions: whether what Pommel marks as one is a choice that is clear to somebody who reads nothing else.
 *
 *   npm run bench:decisions -- --sessions DIR
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --markdown      print a table for Markdown
 *   --wrong         also print the errors in the half that the rules were tuned on
 *   --show N        also print N decisions drawn by hash from all that it finds
 *
 * DIR holds the transcripts of Claude Code that bench/decisions/labels.tsv names by session, line and hash of a sentence.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judged } from "../src/sessions/decisions/stored.ts";
import { storedTurns } from "../src/sessions/stored-turns.ts";
import { decidingChunks } from "../src/store/memory/chunks/chunk-decisions.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { sessionByUid } from "../src/store/memory/sessions/sessions.ts";
import { candidatesIn, lettersOf } from "./decisions/candidates.ts";
import { type Label, loadLabels } from "./decisions/labels.ts";
import { importSessions } from "./recall/import.ts";
import { halfOf } from "./recall/questions.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    markdown: { type: "boolean", default: false },
    wrong: { type: "boolean", default: false },
    show: { type: "string" },
  },
});

if (!options.sessions) {
  console.error("usage: npm run bench:decisions -- --sessions DIR [options, see bench/decisions.ts]");
  process.exit(2);
}

/** Letters that two texts are compared by. */
const compared = 60;

interface Judged {
  label: Label;
  text: string;
  half: "choose" | "confirm";
  isFound: boolean;
}

const scratch = mkdtempSync(join(tmpdir(), "pommel-decisions-"));
try {
  const file = options.memory ?? join(scratch, "memory.db");
  const memory = existsSync(file)
    ? Memory.open(file, { readonly: true })
    : (await importSessions(options.sessions, file)).memory;
  const found = foundIn(memory);
  const { all, missing } = judgeAll(memory, found);
  print(all);
  const total = [...found.values()].reduce((sum, texts) => sum + texts.length, 0);
  console.log(`\n${total} decisions in ${found.size} sessions; ${missing} labels without their sentence`);
  if (options.wrong) printWrong(all);
  if (options.show) show([...found.values()].flat(), Number(options.show));
  memory.close();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The decisions of each session. */
function foundIn(memory: Memory): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const chunk of decidingChunks(memory)) {
    const texts = judged(chunk, null).map(({ text }) => text);
    if (texts.length > 0) found.set(chunk.sessionId, [...(found.get(chunk.sessionId) ?? []), ...texts]);
  }
  return found;
}

function judgeAll(memory: Memory, found: ReadonlyMap<number, string[]>): { all: Judged[]; missing: number } {
  const all: Judged[] = [];
  let missing = 0;
  for (const [uid, labels] of grouped(loadLabels())) {
    const id = sessionByUid(memory, uid)?.id ?? -1;
    const decisions = (found.get(id) ?? []).map((text) => ({
      text: lettersOf(text),
      chosenBy: lettersOf(/\(chosen: "(.*)"\)$/s.exec(text)?.[1] ?? ""),
    }));
    const candidates = new Map(
      [...candidatesIn(storedTurns(memory, id))].map((one) => [`${one.line} ${one.hash}`, one.text]),
    );
    for (const label of labels) {
      const text = candidates.get(`${label.line} ${label.sentence}`);
      if (text === undefined) {
        missing++;
        continue;
      }
      const letters = lettersOf(text);
      const isFound = decisions.some(({ text: decision, chosenBy }) =>
        label.label === "option"
          ? chosenBy !== "" && starts(chosenBy, letters)
          : starts(decision, letters) || letters.includes(decision.slice(0, compared)),
      );
      const half = halfOf({ id: `${uid} ${label.line} ${label.sentence}` });
      all.push({ label, text, half, isFound });
    }
  }
  return { all, missing };
}

function starts(one: string, other: string): boolean {
  return one.startsWith(other.slice(0, compared)) || other.startsWith(one.slice(0, compared));
}

function isDecision({ label: { label } }: Judged): boolean {
  return label === "yes" || label === "option";
}

function print(all: readonly Judged[]): void {
  const head = ["half", "candidates", "decisions", "found", "precision", "recall"];
  const rows = (["choose", "confirm"] as const).map((half) => {
    const some = all.filter((one) => one.half === half);
    const found = some.filter(({ isFound }) => isFound);
    const right = found.filter(isDecision).length;
    const decisions = some.filter(isDecision).length;
    const share = (of: number) => (of === 0 ? "-" : (right / of).toFixed(3));
    return [half, some.length, decisions, found.length, share(found.length), share(decisions)].map(String);
  });
  printTable(head, rows, options);
}

/** Nothing of the held-out half is shown: whoever reads it tunes on it. */
function printWrong(all: readonly Judged[]): void {
  for (const one of all.filter(({ half }) => half === "choose")) {
    if (one.isFound === isDecision(one)) continue;
    console.log(`${one.isFound ? "wrong " : "missed"} ${one.label.label}: ${one.text.slice(0, 200)}`);
  }
}

function show(texts: readonly string[], most: number): void {
  const order = (text: string) => createHash("sha256").update(`shown ${text}`).digest("hex");
  const drawn = [...texts].sort((a, b) => order(a).localeCompare(order(b)));
  for (const text of drawn.slice(0, most)) console.log(`- ${text.replace(/\s+/g, " ")}`);
}

function grouped(all: readonly Label[]): Map<string, Label[]> {
  const bySession = new Map<string, Label[]>();
  for (const label of all) bySession.set(label.session, [...(bySession.get(label.session) ?? []), label]);
  return bySession;
}
