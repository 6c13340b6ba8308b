/**
 * Accuracy of attribution: how well agents are distinguished from people in generated repositories with known authors.
 *
 *   npm run bench:attribution
 *
 *   --seed N            the first repository's (default 1)
 *   --repositories N    how many (default 12); odd seeds are the choosing half, even ones the confirming half
 *   --steps N           how much happens in each (default 40)
 *   --only HAPPENING    only this besides plain edits and commits; `--only list` names all
 *   --explain N         print the N worst places, with the lines around them and the evidence
 *   --half HALF         explain places of this half only (default choose)
 *   --story             print what happened in each
 *   --markdown          print tables for Markdown
 *   --json              print all figures
 *
 * Agents, with transcripts as Claude Code writes them, and people edit, format, move, commit, amend, rebase, squash,
 * merge and revert in real git repositories; Pommel records it as its daemon would. *live* watched files and imported
 * each commit when it was made; *imported* read transcripts and history afterwards.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type MeasuredRepository, measure } from "./attribution/measure.ts";
import { explain, print, summary } from "./attribution/report.ts";
import { happenings } from "./attribution/weights.ts";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    repositories: { type: "string", default: "12" },
    steps: { type: "string", default: "40" },
    only: { type: "string" },
    explain: { type: "string" },
    half: { type: "string", default: "choose" },
    story: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

if (options.only === "list") {
  console.log(happenings.join("\n"));
  process.exit(0);
}
if (options.only !== undefined && !happenings.includes(options.only)) {
  console.error(`--only knows ${happenings.join(", ")}`);
  process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), "pommel-home-"));
process.env.HOME = home;
process.env.XDG_CONFIG_HOME = join(home, ".config");
process.env.GIT_CONFIG_GLOBAL = join(home, ".gitconfig");
process.env.GIT_CONFIG_NOSYSTEM = "1";
try {
  const start = performance.now();
  const first = Number(options.seed);
  const seeds = Array.from({ length: Number(options.repositories) }, (_, i) => first + i);
  const measured: MeasuredRepository[] = [];
  // Most of the time is git's: two go side by side.
  const left = [...seeds];
  const worker = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      measured.push(await measure(seed, options.only ?? null, Number(options.steps)));
      if (process.stderr.isTTY) process.stderr.write(`\r${measured.length} of ${seeds.length}`);
    }
  };
  await Promise.all([worker(), worker()]);
  measured.sort((a, b) => a.seed - b.seed);
  if (options.story) for (const { story } of measured) console.log(story.join("\n"));
  if (options.json) console.log(JSON.stringify(summary(measured), null, 2));
  else print(measured, { markdown: options.markdown });
  if (options.explain) explain(measured, Number(options.explain), options.half);
  console.error(`${((performance.now() - start) / 1000).toFixed(0)} s`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
