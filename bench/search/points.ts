import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { modes } from "../../src/evaluate/modes.ts";
import type { PlotPoint } from "./plot.ts";
import type { Report } from "./report.ts";
import { variants } from "./run.ts";

/** The fields of a report that the plot needs. */
const saved = z.object({
  model: z.string(),
  runs: z.array(
    z.object({
      mode: z.enum(modes),
      variant: z.enum(variants),
      mean_ndcg10: z.number(),
      all: z.object({ p50_ms: z.number() }),
    }),
  ),
});
type Saved = z.infer<typeof saved>;

/** A report that `--save` wrote. */
export function loadSaved(file: string): Saved {
  return saved.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** The modes of a report, the best of earlier ones, and the peers. */
export function pointsOf(
  report: Pick<Report, "model" | "runs" | "peers">,
  earlier: readonly Saved[],
): PlotPoint[] {
  return [
    ...oursOf(report),
    ...earlier.flatMap((one) => oursOf(one).slice(-1)),
    ...report.peers.map(({ name, mean_ndcg10, p50_ms }) => ({
      label: name,
      quality: mean_ndcg10,
      milliseconds: p50_ms,
      isOurs: false,
    })),
  ];
}

const labels = {
  lexical: () => "Pommel, words only",
  semantic: (model: string) => `Pommel, ${model} vectors only`,
  hybrid: (model: string) => `Pommel, ${model}`,
};

function oursOf({ model, runs }: Saved): PlotPoint[] {
  return runs
    .filter(({ variant }) => variant === "normal")
    .map(({ mode, mean_ndcg10, all }) => ({
      label: labels[mode](model),
      quality: mean_ndcg10,
      milliseconds: all.p50_ms,
      isOurs: true,
    }));
}
