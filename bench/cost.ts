/**
 * Whether `pm cost` counts the tokens of transcripts as ccusage does, and what it makes of them.
 *
 *   CLAUDE_CONFIG_DIR=DIR npx ccusage@18.0.11 monthly --json --offline --mode calculate > FILE
 *   npm run bench:cost -- --sessions DIR/projects/NAME --ccusage FILE
 *
 * ccusage takes all that is written into a cache as kept for five minutes; the column "minutes" prices our tokens so too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { makePriceFinder, priceTokens } from "../src/sessions/cost/prices.ts";
import { listTurnUsage } from "../src/store/memory/sessions/usage.ts";
import { scratchDir } from "./measure.ts";
import { importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: { sessions: { type: "string" }, ccusage: { type: "string" } },
});
if (options.sessions === undefined || options.ccusage === undefined) {
  console.error("usage: npm run bench:cost -- --sessions DIR --ccusage FILE, see bench/cost.ts");
  process.exit(2);
}

const kinds = ["input", "output", "cacheWrite", "cacheRead"] as const;
type Sums = Record<(typeof kinds)[number] | "dollars" | "minutes", number>;
const empty: Sums = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0, dollars: 0, minutes: 0 };

const ours = new Map<string, Sums>();
const { memory } = await importSessions(options.sessions, join(scratchDir("cost"), "memory.db"));
const findPrice = makePriceFinder([]);
for (const part of listTurnUsage(memory, {})) {
  const sums = ours.get(part.model) ?? { ...empty };
  ours.set(part.model, sums);
  for (const kind of kinds) sums[kind] += part[kind];
  const price = findPrice(part.model, part.at ?? 0);
  if (price === null) continue;
  sums.dollars += priceTokens(price, part, false);
  sums.minutes += priceTokens(price, { ...part, output: 0, cacheWriteHour: 0 }, false);
}
memory.close();

const theirs = z
  .object({
    monthly: z.array(
      z.object({
        modelBreakdowns: z.array(
          z.object({
            modelName: z.string(),
            inputTokens: z.number(),
            outputTokens: z.number(),
            cacheCreationTokens: z.number(),
            cacheReadTokens: z.number(),
            cost: z.number(),
          }),
        ),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(options.ccusage, "utf8")));
const byModel = new Map<string, Sums>();
for (const month of theirs.monthly)
  for (const one of month.modelBreakdowns) {
    const sums = byModel.get(one.modelName) ?? { ...empty };
    byModel.set(one.modelName, sums);
    sums.input += one.inputTokens;
    sums.output += one.outputTokens;
    sums.cacheWrite += one.cacheCreationTokens;
    sums.cacheRead += one.cacheReadTokens;
    sums.dollars += one.cost;
    const output = findPrice(one.modelName, 0)?.output ?? 0;
    sums.minutes += one.cost - (one.outputTokens * output) / 1e6;
  }

console.log(
  "| model | whose | input | output | into cache | from cache | $ | $ without output, cache for minutes |",
);
console.log("|---|---|---|---|---|---|---|---|");
for (const model of new Set([...ours.keys(), ...byModel.keys()]))
  for (const [whose, sums] of [
    ["pm cost", ours.get(model)],
    ["ccusage", byModel.get(model)],
  ] as const) {
    const cells = kinds.map((kind) => sums?.[kind].toLocaleString("en") ?? "-");
    const money = [sums?.dollars, sums?.minutes].map((sum) => sum?.toFixed(2) ?? "-");
    console.log(`| ${[model, whose, ...cells, ...money].join(" | ")} |`);
  }
