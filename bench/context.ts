/**
 * Automatic context: whether the context for a session's first prompt comes from the sessions that it really continues.
 *
 *   npm run bench:context -- --sessions DIR --manifest FILE
 *
 *   --memory FILE   keep what was imported there for the next run (default: a temporary file)
 *   --repository DIR  a clone of what they were about: also whether the code that prompts name is what they needed
 *   --markdown      print tables for Markdown
 *   --shown         also print what is injected at the current threshold
 *
 * DIR holds transcripts of Claude Code, FILE [{session_id: file name without .jsonl, first_timestamp, last_timestamp,
 * branch, files_touched}].
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import { minRelevance } from "../src/queries/context/relevance.ts";
import { SessionSearch } from "../src/search/sessions/engine.ts";
import { QueryEmbedder } from "../src/search/vectors/query-embedder.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import { type Asked, askFirstPrompts } from "./context/ask.ts";
import { askForCode, type Named } from "./context/code.ts";
import { continuedBy, manifestEntry } from "./context/continues.ts";
import { figuresAt } from "./context/figures.ts";
import { importSessions } from "./recall/import.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    manifest: { type: "string" },
    memory: { type: "string" },
    repository: { type: "string" },
    markdown: { type: "boolean", default: false },
    shown: { type: "boolean", default: false },
  },
});

if (!options.sessions || !options.manifest) {
  console.error(
    "usage: npm run bench:context -- --sessions DIR --manifest FILE [options, see bench/context.ts]",
  );
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "pommel-context-"));
try {
  const manifest = z.parse(z.array(manifestEntry), JSON.parse(readFileSync(options.manifest, "utf8")));
  const memory = await open(options.memory ?? join(scratch, "memory.db"));
  const names = new Map(
    listTranscripts(memory).flatMap(({ path, sessionId }) =>
      sessionId === null ? [] : [[sessionId, basename(path, ".jsonl")] as const],
    ),
  );
  const times = { now: 0 };
  const search = new SessionSearch({
    root: options.sessions,
    memory,
    embedder: new QueryEmbedder({ first: createStaticEmbedder() }),
    now: () => times.now,
  });
  const asked = await askFirstPrompts({ memory, search, names, times });
  memory.close();
  print(asked, continuedBy(manifest), manifest.length);
  if (options.repository) printNamed(await askForCode(options.repository, asked, scratch));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function open(file: string): Promise<Memory> {
  if (existsSync(file)) return Memory.open(file, { readonly: false });
  return (await importSessions(options.sessions!, file)).memory;
}

function print(
  asked: readonly Asked[],
  continued: ReadonlyMap<string, ReadonlySet<string>>,
  known: number,
): void {
  const pairs = [...continued.values()].reduce((sum, { size }) => sum + size, 0);
  const going = asked.filter(({ name }) => (continued.get(name)?.size ?? 0) > 0).length;
  console.log(
    `${asked.length} first prompts, ${going} of sessions that continue others; ` +
      `of two sessions the later continues the earlier in ${((100 * pairs) / ((known * (known - 1)) / 2)).toFixed(1)} %\n`,
  );
  const head = [
    "half",
    "relevance",
    "told something",
    "precision",
    "of quotations",
    "recall",
    "used anyway",
    "tokens",
  ];
  const rows: string[][] = [];
  for (const half of ["choose", "confirm"] as const) {
    const some = asked.filter((one) => one.half === half);
    for (const least of [0, 0.2, 0.35, 0.5, 0.6, 0.7]) {
      const { told, precision, ofItems, recall, usedAnyway, tokens } = figuresAt(some, continued, least);
      const mark = Object.values<number>(minRelevance).includes(least) ? " *" : "";
      const share = (value: number) => (Number.isNaN(value) ? "-" : value.toFixed(2));
      rows.push([
        half,
        `>= ${least.toFixed(2)}${mark}`,
        `${told} of ${some.length}`,
        ...[precision, ofItems, recall, usedAnyway].map(share),
        String(Math.round(tokens)),
      ]);
    }
  }
  printTable(head, rows, options);
  const line = (name: string, times: number[]) => {
    times.sort((a, b) => a - b);
    const at = (share: number) => `${times[Math.floor(times.length * share)]!.toFixed(0)} ms`;
    console.log(`${name}: p50 ${at(0.5)}, p95 ${at(0.95)}, at most ${at(0.9999)}`);
  };
  console.log("");
  line(
    "until there is an answer",
    asked.map(({ ms }) => ms),
  );
  line(
    "of that the process's own work",
    asked.map(({ cpuMs }) => cpuMs),
  );
  if (!options.shown) return;
  for (const { name, prompt, items } of asked) {
    const shown = items.filter(({ score }) => score >= minRelevance.gentle);
    if (shown.length === 0) continue;
    console.log(`\n${prompt.slice(0, 160).replace(/\s+/g, " ")}`);
    for (const { session, score, quote, why } of shown) {
      const sign = continued.get(name)?.has(session) ? "+" : "-";
      console.log(`  ${sign} ${score.toFixed(2)} ${why}: ${quote.slice(0, 160)}`);
    }
  }
}

function printNamed(all: readonly Named[]): void {
  const rows = (["choose", "confirm"] as const).map((half) => {
    const some = all.filter((one) => one.half === half);
    const told = some.filter(({ places }) => places.length > 0);
    const places = told.flatMap((one) => one.places);
    const share = (count: number, of: number) => (of === 0 ? "-" : (count / of).toFixed(2));
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
