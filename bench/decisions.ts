/**
 * Decisions: whether what Pommel marks as one is a choice that is clear to somebody who reads nothing else.
 *
 *   npm run bench:decisions -- --sessions DIR
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --markdown      print a table for Markdown
 *   --wrong         also print the errors among what the judgement was fitted on
 *   --held-back     also measure what was held back: at the end, and once
 *   --show N        also print N decisions drawn by hash from all that it finds
 *   --fit           fit the coefficients anew, print them for src/sessions/decisions/judge.ts with how well they do by
 *                   cross-validation, and report nothing else
 *   --sample N      print N candidates without a label, with what stands around them, to be labelled; report nothing
 *   --seed TEXT     what the sample, or what is shown, is drawn by
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
import { type Candidate, candidatesIn, lettersOf } from "./decisions/candidates.ts";
import { crossValidated, fitSignals } from "./decisions/fit.ts";
import { type Label, loadLabels, samples } from "./decisions/labels.ts";
import { drawSample } from "./decisions/sample.ts";
import { importSessions } from "./recall/import.ts";
import { halfOf } from "./recall/questions.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    markdown: { type: "boolean", default: false },
    wrong: { type: "boolean", default: false },
    "held-back": { type: "boolean", default: false },
    show: { type: "string" },
    fit: { type: "boolean", default: false },
    sample: { type: "string" },
    seed: { type: "string", default: "shown" },
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
  candidate: Candidate;
  half: "choose" | "confirm";
  isFound: boolean;
}

const scratch = mkdtempSync(join(tmpdir(), "pommel-decisions-"));
try {
  const file = options.memory ?? join(scratch, "memory.db");
  const memory = existsSync(file)
    ? Memory.open(file, { readonly: true })
    : (await importSessions(options.sessions, file)).memory;
  if (options.sample) printSample(memory, Number(options.sample));
  else report(memory);
  memory.close();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function report(memory: Memory): void {
  const found = foundIn(memory);
  const { all, missing } = judgeAll(memory, found);
  if (options.fit) {
    printFit(all.filter(({ half }) => half === "choose"));
    return;
  }
  print(all);
  const total = [...found.values()].reduce((sum, texts) => sum + texts.length, 0);
  console.log(`\n${total} decisions in ${found.size} sessions; ${missing} labels without their sentence`);
  if (options.wrong) printWrong(all);
  if (options.show) show([...found.values()].flat(), Number(options.show));
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
      [...candidatesIn(storedTurns(memory, id))].map((one) => [`${one.line} ${one.hash}`, one]),
    );
    for (const label of labels) {
      const candidate = candidates.get(`${label.line} ${label.sentence}`);
      if (candidate === undefined) {
        missing++;
        continue;
      }
      const letters = lettersOf(candidate.text);
      const isFound = decisions.some(({ text: decision, chosenBy }) =>
        label.label === "option"
          ? chosenBy !== "" && starts(chosenBy, letters)
          : starts(decision, letters) || letters.includes(decision.slice(0, compared)),
      );
      // Drawn by what an earlier fit found, to fit on: no fair sample.
      const half =
        label.sample === "tuning" ? "choose" : halfOf({ id: `${uid} ${label.line} ${label.sentence}` });
      all.push({ label, candidate, half, isFound });
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
  const head = ["sample", "half", "candidates", "decisions", "found", "precision", "recall"];
  const rows = samples.flatMap((sample) =>
    (["choose", "confirm"] as const).flatMap((half) => {
      const some = all.filter((one) => one.half === half && one.label.sample === sample);
      if (some.length === 0 || (half === "confirm" && !options["held-back"])) return [];
      const found = some.filter(({ isFound }) => isFound);
      const right = found.filter(isDecision).length;
      const decisions = some.filter(isDecision).length;
      const share = (of: number) => (of === 0 ? "-" : (right / of).toFixed(3));
      return [
        [sample, half, some.length, decisions, found.length, share(found.length), share(decisions)].map(
          String,
        ),
      ];
    }),
  );
  printTable(head, rows, options);
}

/** Nothing of the held-out half is shown: whoever reads it tunes on it. */
function printWrong(all: readonly Judged[]): void {
  for (const one of all.filter(({ half }) => half === "choose")) {
    if (one.isFound === isDecision(one)) continue;
    console.log(
      `${one.isFound ? "wrong " : "missed"} ${one.label.label}: ${one.candidate.text.slice(0, 200)}`,
    );
  }
}

function printFit(all: readonly Judged[]): void {
  const labelled = all
    .filter(({ label: { label } }) => label !== "option")
    .map((one) => ({ session: one.label.session, candidate: one.candidate, isDecision: isDecision(one) }));
  const { bias, coefficients } = fitSignals(labelled);
  console.log(`bias = ${bias}\ncoefficients = ${JSON.stringify(coefficients, null, 2)}`);
  const rows = crossValidated(labelled, [0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7]).map((row) =>
    [row.threshold, row.found, row.precision.toFixed(3), row.recall.toFixed(3)].map(String),
  );
  printTable(["threshold", "found", "precision", "recall"], rows, options);
}

function printSample(memory: Memory, count: number): void {
  const known = new Set(loadLabels().map(({ session, line, sentence }) => `${session} ${line} ${sentence}`));
  for (const one of drawSample(memory, { count, seed: options.seed, known }))
    console.log(JSON.stringify({ ...one, message: undefined }));
}

function show(texts: readonly string[], most: number): void {
  const order = (text: string) => createHash("sha256").update(`${options.seed} ${text}`).digest("hex");
  const drawn = [...texts].sort((a, b) => order(a).localeCompare(order(b)));
  for (const text of drawn.slice(0, most)) console.log(`- ${text.replace(/\s+/g, " ")}`);
}

function grouped(all: readonly Label[]): Map<string, Label[]> {
  const bySession = new Map<string, Label[]>();
  for (const label of all) bySession.set(label.session, [...(bySession.get(label.session) ?? []), label]);
  return bySession;
}
