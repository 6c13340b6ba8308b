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
 *   --situations [NAME] the everyday situations in which evidence is late, elsewhere or wrong, or one of them; each in
 *                       `--repositories` of its own (default 4)
 *   --story             print what happened in each
 *   --markdown          print tables for Markdown
 *   --json              print all figures
 *
 * Agents, with transcripts as their clients write them, and people edit, format, move, commit, amend, rebase, squash,
 * merge and revert in real git repositories; Pommel records it as its daemon would. *live* watched files and imported
 * each commit when it was made; *imported* read transcripts and history afterwards.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type MeasuredRepository, measure } from "./attribution/measure.ts";
import { explain, print, printSituations, summary } from "./attribution/report.ts";
import { situations } from "./attribution/situations/situations.ts";
import { happenings, planOf } from "./attribution/weights.ts";
import { scratchDir } from "./measure.ts";

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    repositories: { type: "string" },
    situations: { type: "boolean", default: false },
    steps: { type: "string" },
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

const home = scratchDir("home");
process.env.HOME = home;
process.env.POMMEL_HOME = join(home, "pommel");
process.env.GIT_CONFIG_GLOBAL = join(home, ".gitconfig");
process.env.GIT_CONFIG_NOSYSTEM = "1";
const start = performance.now();
const first = Number(options.seed);
const repositories = Number(options.repositories ?? (options.situations ? 4 : 12));
const steps = Number(options.steps ?? (options.situations ? 30 : 40));
const seeds = Array.from({ length: repositories }, (_, i) => first + i);
const chosen = situations.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const plain = { name: null, plan: planOf(options.only ?? null), habits: {} };
const todo = (options.situations ? chosen : [plain]).flatMap((each) =>
  seeds.map((seed) => ({ ...each, seed })),
);
const measured: MeasuredRepository[] = [];
// Most of the time is git's: two go side by side.
const left = [...todo];
const worker = async () => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { seed, name, plan, habits } = next;
    measured.push({ ...(await measure(seed, { plan, habits, steps })), situation: name });
    if (process.stderr.isTTY) process.stderr.write(`\r${measured.length} of ${todo.length}`);
  }
};
await Promise.all([worker(), worker()]);
measured.sort((a, b) => a.seed - b.seed);
if (options.story) for (const { story } of measured) console.log(story.join("\n"));
const names = chosen.map(({ name }) => name);
if (options.json) console.log(JSON.stringify(summary(measured), null, 2));
else if (options.situations) printSituations(measured, names, { markdown: options.markdown });
else print(measured, { markdown: options.markdown });
if (options.explain) explain(measured, Number(options.explain), options.half);
console.error(`${((performance.now() - start) / 1000).toFixed(0)} s`);
