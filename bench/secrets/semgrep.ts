import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { ForeignCases } from "./foreign.ts";
import { findsNoSecret, foreignPattern, secretIn } from "./foreign-pattern.ts";

const rulesFile = z.object({ rules: z.array(z.object({ id: z.string() }).loose()) });

/**
 * The lines that the rules for secrets of semgrep (https://github.com/semgrep/semgrep-rules) are tested with: after the comment
 * `ruleid: NAME` one that holds a secret, after `ok: NAME` one that does not. Nothing of it is copied; it is only read.
 */
export function semgrepCases(checkout: string): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const top = join(checkout, "generic/secrets");
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".yaml")) continue;
    const folder = entry.parentPath;
    const { rules } = rulesFile.parse(parse(readFileSync(join(folder, entry.name), "utf8")));
    const patterns = new Map(rules.map((rule) => [rule.id, patternsIn(rule)]));
    const base = entry.name.slice(0, -"yaml".length);
    for (const test of readdirSync(folder).filter((name) => name.startsWith(base) && name !== entry.name)) {
      const lines = readFileSync(join(folder, test), "utf8").split(/\r?\n/);
      for (const [at, line] of lines.entries()) {
        const [, verdict, kind = ""] = /\b(ruleid|ok):\s*([\w-]+)/.exec(line) ?? [];
        const text = lines[at + 1]?.trim() ?? "";
        if (verdict === undefined || text === "" || findsNoSecret(kind)) continue;
        if (verdict === "ok") {
          cases.lookAlikes.push({ kind, text, secrets: [], keep: [] });
          continue;
        }
        const secret = (patterns.get(kind) ?? [])
          .map((pattern) => secretIn(text, pattern))
          .find((found) => found !== null);
        if (secret === undefined || secret === null) cases.unplaced++;
        else cases.secrets.push({ kind, text, secrets: [secret], keep: [] });
      }
    }
  }
  return cases;
}

/** Every regular expression of a rule, however deep. */
function patternsIn(part: unknown): RegExp[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    const pattern = key === "pattern-regex" && typeof value === "string" ? foreignPattern(value) : null;
    return pattern === null ? patternsIn(value) : [pattern];
  });
}

const examplesFile = z.object({
  rules: z.array(
    z.object({
      name: z.string(),
      pattern: z.string(),
      /** False: only needed to check another rule's finds, such as the id of a client. */
      visible: z.boolean().default(true),
      examples: z.array(z.coerce.string()).nullish(),
      negative_examples: z.array(z.coerce.string()).nullish(),
      categories: z.array(z.string()).default([]),
    }),
  ),
});

/** Folders of rules in checkouts of kingfisher, noseyparker and titus. */
export const ruleFolders = {
  kingfisher: "data/rules",
  noseyparker: "crates/noseyparker/data/default/builtin/rules",
  titus: "pkg/rule/rules",
};

/**
 * The examples of the rules of kingfisher (https://github.com/mongodb/kingfisher), noseyparker
 * (https://github.com/praetorian-inc/noseyparker) and titus (https://github.com/praetorian-inc/titus), all Apache License 2.0,
 * which have one format.
 */
export function ruleExamples(checkout: string, scanner: keyof typeof ruleFolders): ForeignCases {
  const cases: ForeignCases = { secrets: [], lookAlikes: [], unplaced: 0 };
  const folder = join(checkout, ruleFolders[scanner]);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yml"))) {
    const kind = file.replace(/\.yml$/, "");
    const { rules } = examplesFile.parse(parse(readFileSync(join(folder, file), "utf8")));
    for (const { name, pattern, visible, examples, negative_examples, categories } of rules) {
      for (const text of negative_examples ?? [])
        cases.lookAlikes.push({ kind, text, secrets: [], keep: [] });
      if (!visible || findsNoSecret(name) || categories.includes("identifier")) continue;
      const native = foreignPattern(pattern);
      for (const text of examples ?? []) {
        const secret = native === null ? null : secretIn(text, native);
        if (secret === null) cases.unplaced++;
        else cases.secrets.push({ kind, text, secrets: [secret], keep: [] });
      }
    }
  }
  return cases;
}
