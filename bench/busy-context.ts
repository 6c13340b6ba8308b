/**
 * Whether automatic context comes in time on a busy machine: hooks of starts, compactions and edits beside busy loops.
 *
 *   npm run bench:busy-context -- [--pm FILE] [--loops 8] [--runs 50] [--markdown]
 *
 * FILE is bin/pm.cjs of the program that is measured, by default this one. Told are hooks that said something before their
 * client would have given them up (10 s).
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureContext } from "./busy/context.ts";
import { printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    pm: { type: "string", default: fileURLToPath(new URL("../bin/pm.cjs", import.meta.url)) },
    loops: { type: "string", default: "8" },
    runs: { type: "string", default: "50" },
    markdown: { type: "boolean", default: false },
  },
});
const measured = await measureContext({
  pm: options.pm,
  loops: Number(options.loops),
  runs: Number(options.runs),
  atOnce: [1, 2, 4, 8],
  onResult: ({ moment, atOnce, told, runs }) =>
    console.error(`${moment}, ${atOnce} at once: ${told}/${runs}`),
});
printTable(
  ["moment", "at once", "told", "p50 (ms)", "p95 (ms)"],
  measured.map(({ moment, atOnce, runs, told, p50Ms, p95Ms }) => [
    moment,
    String(atOnce),
    `${told}/${runs}`,
    p50Ms.toFixed(0),
    p95Ms.toFixed(0),
  ]),
  options,
);
