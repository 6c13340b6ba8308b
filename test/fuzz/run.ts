/**
 * Feeds Pommel with mutated transcripts, sources, requests and command lines, and counts crashes, hangs of more than two
 * seconds (of a source four), stack traces and raw control characters: there must be none.
 *
 *   npm run fuzz                          1,000,000 lines, 50,000 sources, 20,000 requests and command lines
 *   npm run fuzz -- --minutes 5           until the time is over, shared by the four
 *   npm run fuzz -- --cases 1000          of each
 *
 *   --only NAME     transcripts, sources, requests or commands
 *   --seed N        where to begin; a case is the same for the same seed
 *   --corpus DIR    also mutate the transcripts in DIR (claude-code/, codex/ and gemini/)
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Tally } from "./tally.ts";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string" },
    cases: { type: "string" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    corpus: { type: "string" },
  },
});

// No configuration, memory or git settings but its own.
const home = mkdtempSync(join(tmpdir(), "pommel-fuzz-home-"));
Object.assign(process.env, {
  HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_DATA_HOME: home,
  XDG_CACHE_HOME: home,
  NO_COLOR: "1",
  GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
  GIT_CONFIG_NOSYSTEM: "1",
  POMMEL_DAEMON_AUTOSTART: "false",
});
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const [{ fuzzTranscripts }, { fuzzSources }, questions] = await Promise.all([
  import("./transcripts.ts"),
  import("./sources.ts"),
  import("./questions.ts"),
]);
const seed = Number(options.seed);
const { project, remove } = await questions.projectToAsk();

/** A parser may work for two seconds until a source is cut by lines instead. Milliseconds. */
const sourcePatienceMs = 4000;

const areas = [
  {
    name: "transcripts",
    cases: 1_000_000,
    run: (tally: Tally, cases: number, deadline: number) =>
      fuzzTranscripts(tally, cases, { seed, deadline, corpus: options.corpus ?? null }),
  },
  {
    name: "sources",
    cases: 50_000,
    patience: sourcePatienceMs,
    run: (tally: Tally, cases: number, deadline: number) => fuzzSources(tally, cases, { seed, deadline }),
  },
  {
    name: "requests",
    cases: 10_000,
    run: (tally: Tally, cases: number, deadline: number) =>
      questions.fuzzRequests(tally, cases, project, { seed, deadline }),
  },
  {
    name: "commands",
    cases: 10_000,
    run: (tally: Tally, cases: number, deadline: number) =>
      questions.fuzzCommandLines(tally, cases, project, { seed, deadline }),
  },
].filter(({ name }) => options.only === undefined || options.only === name);

let failed = false;
const perArea = options.minutes === undefined ? Infinity : (Number(options.minutes) * 60_000) / areas.length;
for (const { name, cases, patience, run } of areas) {
  const tally = new Tally(name, patience, ({ kind, seed: at, what }) =>
    process.stdout.write(`${name}: ${kind}, seed ${at}: ${what.replaceAll("\n", "\n    ")}\n`),
  );
  const wanted =
    options.cases === undefined ? (perArea < Infinity ? Infinity : cases) : Number(options.cases);
  const progress = setInterval(() => process.stderr.write(`${tally.report()}\n`), 30_000);
  await run(tally, wanted, performance.now() + perArea);
  clearInterval(progress);
  process.stdout.write(`${tally.report()}\n`);
  failed ||= tally.faults.length > 0;
}
remove();
process.exitCode = failed ? 1 : 0;
