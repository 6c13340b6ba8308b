/**
 * Decisions: whether what Pommel shows as one is a choice that somebody made.
 *
 *   npm run bench:decisions -- --sessions NAME=DIR --repository NAME=DIR [...]
 *
 *   --memory DIR    keep what was imported there for the next run (default: a temporary directory)
 *   --sample N      print N of the decisions without a label, drawn by hash, as JSON lines to be labelled; report nothing
 *   --round NAME    of the labels, first to fourth (default: fourth)
 *   --seed TEXT     what the sample is drawn by
 *   --wrong         also print those whose label says that they are none
 *   --markdown      print a table for Markdown
 *
 * DIR holds transcripts of Claude Code, or is a clone of a repository; NAME is how the labels in
 * bench/decisions/labels.tsv call it. They name decisions by hash and hold no text. `bench/decisions/transcripts.sh` brings
 * transcripts out of a repository that publishes them.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRepositoryDecisions } from "../src/features/decisions/recorded-decisions.ts";
import { listStoredDecisions } from "../src/sessions/decisions/stored.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { printTable, scratchDir } from "./measure.ts";
import { importSessions } from "./recall/import.ts";

/** Something that is shown as a decision. */
export interface Shown {
  /** What it was found in. */
  of: string;
  source:
    | "answer"
    | "option"
    | "prompt"
    | "annotation"
    | "conversation"
    | "adr"
    | "comment"
    | "commit"
    | "memory";
  text: string;
  place: string;
}

/**
 * A reader's verdict, with what stands around it. yes: somebody chose this, about the project, and the text alone says
 * what. unclear: a choice, but of what is not clear without more. The others are none: passing, about the session itself;
 * behaviour, what something does or did; task, something to be done; other.
 */
export const verdicts = ["yes", "unclear", "passing", "behaviour", "task", "other"] as const;
type Verdict = (typeof verdicts)[number];

/**
 * The verdicts by hash. The rules were frozen before each round, and changed by what the first one showed: only the last
 * one says how good they are.
 */
export const rounds = ["first", "second", "third", "fourth"] as const;
type Round = (typeof rounds)[number];

export function loadLabels(round: Round): Map<string, Verdict> {
  const file = readFileSync(new URL("decisions/labels.tsv", import.meta.url), "utf8");
  const rows = file.trimEnd().split("\n").slice(1);
  return new Map(
    rows.flatMap((row) => {
      const [hash = "", label, drawnIn] = row.split("\t");
      if (drawnIn !== round) return [];
      const verdict = verdicts.find((one) => one === label);
      if (verdict === undefined) throw new Error(`no label: ${row}`);
      return [[hash, verdict] as const];
    }),
  );
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Names a decision by its letters. */
export const hashOf = ({ of, text }: Pick<Shown, "of" | "text">): string =>
  digest(`${of} ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")}`).slice(0, 16);

/** In an order that a seed gives. */
export function drawn(some: readonly Shown[], seed: string): Shown[] {
  return some.toSorted((a, b) =>
    digest(`${seed} ${hashOf(a)}`).localeCompare(digest(`${seed} ${hashOf(b)}`)),
  );
}

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string", multiple: true, default: [] },
    repository: { type: "string", multiple: true, default: [] },
    memory: { type: "string" },
    sample: { type: "string" },
    round: { type: "string", default: "fourth" },
    seed: { type: "string", default: "first" },
    wrong: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});

if (options.sessions.length + options.repository.length === 0) {
  console.error(
    "usage: npm run bench:decisions -- --sessions NAME=DIR --repository NAME=DIR [options, see bench/decisions.ts]",
  );
  process.exit(2);
}

const scratch = scratchDir("decisions");
const shown = [
  ...(await Promise.all(options.repository.map((named) => recordedIn(...nameAndDir(named))))).flat(),
];
for (const named of options.sessions) shown.push(...(await madeIn(...nameAndDir(named))));
const round = rounds.find((one) => one === options.round);
if (round === undefined) throw new Error(`--round knows ${rounds.join(", ")}`);
const labels = loadLabels(round);
if (options.sample) {
  const fresh = shown.filter((one) => !labels.has(hashOf(one)));
  for (const one of drawn(fresh, options.seed).slice(0, Number(options.sample)))
    console.log(JSON.stringify({ hash: hashOf(one), ...one }));
} else report(shown, labels);

function nameAndDir(named: string): [name: string, dir: string] {
  const at = named.indexOf("=");
  return [named.slice(0, at), named.slice(at + 1)];
}

async function recordedIn(of: string, dir: string): Promise<Shown[]> {
  const found = await readRepositoryDecisions(dir);
  return found.map(({ source, text, place }) => ({ of, source, text, place: place ?? "" }));
}

async function madeIn(of: string, dir: string): Promise<Shown[]> {
  const folder = options.memory ?? scratch;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${of}.db`);
  const memory = existsSync(file)
    ? Memory.open(file, { readonly: true })
    : (await importSessions(dir, file)).memory;
  const found = listStoredDecisions(memory).map(({ text, sessionUid, turn }): Shown => {
    return { of, source: sourceOf(text), text, place: `${sessionUid}:${turn}` };
  });
  memory.close();
  return found;
}

/** How a person chose. */
function sourceOf(text: string): Shown["source"] {
  return text.includes(" → ") ? "answer" : "prompt";
}

function report(shown: readonly Shown[], labels: ReturnType<typeof loadLabels>): void {
  const kinds = [...new Set(shown.map(({ of, source }) => `${of} ${source}`))].sort();
  const rowOf = (name: string, some: readonly Shown[]) => {
    const labelled = some.flatMap((one) => labels.get(hashOf(one)) ?? []);
    const right = labelled.filter((label) => label === "yes").length;
    const precision = labelled.length === 0 ? "-" : (right / labelled.length).toFixed(3);
    return [name, some.length, labelled.length, right, precision].map(String);
  };
  const rows = kinds.map((kind) =>
    rowOf(
      kind,
      shown.filter(({ of, source }) => kind === `${of} ${source}`),
    ),
  );
  printTable(
    ["source", "shown", "labelled", "decisions", "precision"],
    [...rows, rowOf("all", shown)],
    options,
  );
  const missing = [...labels.keys()].filter((hash) => !shown.some((one) => hashOf(one) === hash)).length;
  console.log(`\n${missing} labels of what is not shown here (any more)`);
  if (!options.wrong) return;
  for (const verdict of verdicts) {
    for (const one of shown) {
      if (verdict !== "yes" && labels.get(hashOf(one)) === verdict) console.log(`${verdict}: ${one.text}`);
    }
  }
}
