import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { ForeignCases } from "./foreign.ts";

export const leaktkFile = "testdata/leaktk-scanner-results.yaml";

const results = z.array(
  z.object({ "rule.description": z.string(), match: z.coerce.string(), secret: z.coerce.string() }),
);

/** What leaktk's patterns (https://github.com/leaktk/patterns, MIT License) are expected to find. */
export function leaktkCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const seen = new Set<string>();
  for (const { "rule.description": kind, match, secret } of results.parse(
    parse(readFileSync(join(checkout, leaktkFile), "utf8")),
  )) {
    if (seen.has(match) || /identifier|client id|public/i.test(kind)) continue;
    seen.add(match);
    cases.secrets.push({ kind, text: match, secrets: [secret], keep: [] });
  }
  return cases;
}
