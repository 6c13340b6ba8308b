/**
 * Automatic context: plays real sessions in the order of time and asks at each moment what the hooks would inject, of a memory that
 * knows only what was before; what was injected is right if the session then touched a file or ran a command that it names.
 *
 *   npm run bench:context -- --repository DIR [--sessions DIR] [--manifest FILE]
 *
 *   --every N       ask in every Nth session only (default: 1)
 *   --repository DIR  a clone of what they were about: commits are known, and whether the code that first prompts name is what
 *                   they needed is measured as well
 *   --markdown      print tables for Markdown
 *   --shown         also print what is injected, also what no later act can show to be right
 *   --kinds LIST    only these moments: start, keep (before a compaction), compaction, past, prompt, read, edit, check, revert, failure
 *   --instructions TEXT  what the project's CLAUDE.md says
 *
 * The sessions are those that a clone publishes on entire/checkpoints/v1, or the transcripts of Claude Code in another directory. FILE
 * is [{session_id: file name without .jsonl, first_timestamp, last_timestamp, branch, files_touched}]; without it, it is made of them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { claude } from "../src/agents/claude/claude.ts";
import type { FileHistory } from "../src/features/context/source.ts";
import { readGitTextIfAny } from "../src/git/git.ts";
import { readRecentChanges } from "../src/git/history/file-changes.ts";
import {
  askForCode,
  continuedBy,
  type Judged,
  judgeMoments,
  manifestEntry,
  type Named,
  toManifestEntry,
} from "./context/judge.ts";
import { momentKinds, type Played, readPlay, replay } from "./context/replay.ts";
import { printTable, scratchDir } from "./measure.ts";
import { takePublishedTranscripts } from "./published.ts";
import { halfOf, importerInto } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    manifest: { type: "string" },
    every: { type: "string", default: "1" },
    repository: { type: "string" },
    markdown: { type: "boolean", default: false },
    shown: { type: "boolean", default: false },
    instructions: { type: "string" },
    kinds: { type: "string", default: momentKinds.join(",") },
  },
});

if (!options.sessions && !options.repository) {
  console.error(
    "usage: npm run bench:context -- --repository DIR [--sessions DIR] [options, see bench/context.ts]",
  );
  process.exit(2);
}

const halves = ["choose", "confirm"] as const;
const scratch = scratchDir("context");
const sessions = options.sessions ?? join(scratch, "sessions");
if (!options.sessions) takePublishedTranscripts(options.repository!, sessions);
const plays: Played[] = [];
for await (const { path } of claude.list(sessions)) plays.push(...[(await readPlay(path)) ?? []].flat());
const manifest =
  options.manifest === undefined
    ? plays.map(toManifestEntry)
    : z.parse(z.array(manifestEntry), JSON.parse(readFileSync(options.manifest, "utf8")));
const names = plays.map(({ name }) => name).sort();
const isAsked = (name: string) => names.indexOf(name) % Number(options.every) === 0;
if (options.instructions !== undefined) writeFileSync(join(scratch, "CLAUDE.md"), options.instructions);
const importer = importerInto(join(scratch, "memory.db"), scratch);
const kinds = options.kinds.split(",");
for (const play of plays) play.moments = play.moments.filter(({ kind }) => kinds.includes(kind));
const moments = await replay(plays, isAsked, importer, scratch, historyOf(options.repository));
const judged = judgeMoments(importer.memory, plays, moments, continuedBy(manifest));
importer.memory.close();
print(judged);
if (options.repository && kinds.includes("prompt"))
  printNamed(await askForCode(options.repository, plays, scratch));

/** What commits of the default branch were known at a time. */
function historyOf(repository: string | undefined): (at: number) => FileHistory {
  if (repository === undefined) return () => ({ changes: async () => [], committed: async () => null });
  const git = (...args: string[]) => readGitTextIfAny(repository, args);
  return (at) => {
    const before = `--before=${new Date(at).toISOString()}`;
    const revision = () => git("rev-list", "-1", before, "HEAD");
    return {
      changes: async (file) => readRecentChanges(repository, file, (await revision()) || "HEAD"),
      committed: async (file) => git("show", `${await revision()}:${file}`),
    };
  };
}

function share(count: number, of: number): string {
  return of === 0 ? "-" : `${(count / of).toFixed(2)} (${count} of ${of})`;
}

function print(judged: readonly Judged[]): void {
  const rows: string[][] = [];
  for (const kind of momentKinds) {
    for (const half of halves) {
      const some = judged.filter(
        ({ moment }) => moment.kind === kind && halfOf({ id: moment.session }) === half,
      );
      const told = some.filter(({ items }) => items.length > 0);
      const right = (one: Judged) => one.items.some(({ isRight }) => isRight);
      // A session is told once what its prompts go on with.
      const unit = ({ moment }: Judged) => (kind === "prompt" ? moment.session : moment);
      const known = new Set(some.filter(({ isKnown }) => isKnown).map(unit));
      const covered = new Set(some.filter((one) => one.isKnown && one.isCovered).map(unit));
      const tokens = told.map(({ moment }) => moment.answer!.tokens).sort((a, b) => a - b);
      rows.push([
        kind,
        half,
        `${told.length} of ${some.length}`,
        share(told.filter(right).length, told.length),
        share(told.filter(({ items }) => items.some(({ isSoon }) => isSoon)).length, told.length),
        share(covered.size, known.size),
        `${tokens[tokens.length >> 1] ?? "-"}`,
      ]);
    }
  }
  printTable(
    ["kind", "half", "spoke", "precision", "in ten actions", "coverage", "tokens (median)"],
    rows,
    options,
  );
  const times = judged.map(({ moment }) => moment.ms).sort((a, b) => a - b);
  console.log(
    `\nan answer: p50 ${times[times.length >> 1]?.toFixed(0)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(0)} ms`,
  );
  if (!options.shown) return;
  for (const { moment, items } of judged) {
    const shown = moment.answer?.items ?? [];
    if (shown.length === 0) continue;
    console.log(
      `\n${moment.kind} ${moment.session} ${new Date(moment.at).toISOString()} line ${moment.line} ${`${moment.prompt}${moment.error}`.slice(0, 240).replace(/\s+/g, " ")}${moment.file}`,
    );
    for (const { ref, kind, quote } of shown) {
      const isRight = items.find((one) => one.ref === ref)?.isRight;
      console.log(`  ${isRight === undefined ? "?" : isRight ? "+" : "-"} ${kind}: ${quote.slice(0, 400)}`);
    }
  }
}

function printNamed(all: readonly Named[]): void {
  const rows = halves.map((half) => {
    const some = all.filter(({ session }) => halfOf({ id: session }) === half);
    const told = some.filter(({ places }) => places.length > 0);
    const places = told.flatMap((one) => one.places);
    return [
      half,
      `${told.length} of ${some.length}`,
      share(told.filter((one) => one.places.some(({ isUsed }) => isUsed)).length, told.length),
      share(places.filter(({ isUsed }) => isUsed).length, places.length),
    ];
  });
  console.log("");
  printTable(["half", "told where named code is", "precision", "of places"], rows, options);
  if (!options.shown) return;
  for (const { prompt, places } of all.filter((one) => one.places.length > 0)) {
    console.log(`\n${prompt.slice(0, 160).replace(/\s+/g, " ")}`);
    for (const { place, name, isUsed } of places) console.log(`  ${isUsed ? "+" : "-"} ${name}: ${place}`);
  }
}
