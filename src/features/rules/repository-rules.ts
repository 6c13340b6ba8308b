import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "smol-toml";
import * as z from "zod/mini";
import { parseToml } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { makeCheck, writeCheck } from "./make-check.ts";
import type { RepositoryRules, Rule } from "./operation.ts";
import { identifyCheck } from "./propose.ts";
import { repositoryFile } from "./words.ts";

/**
 * The rules that a repository says of itself, in a file that is committed with it: its authors' words, not the person's. Whoever wrote
 * them may be a stranger, so they are few and short, and only ever remind.
 */

const maxBytes = 65_536;
const maxRules = 50;
/** Characters. */
const maxChars = { text: 240, check: 200 } as const;

const shortText = (max: number) => z.string().check(z.maxLength(max));
const writtenRule = z.object({
  text: shortText(maxChars.text),
  command: z.optional(shortText(maxChars.check)),
  path: z.optional(shortText(maxChars.check)),
  created: z.optional(shortText(maxChars.check)),
  added: z.optional(shortText(maxChars.check)),
  tool: z.optional(shortText(maxChars.check)),
});
const writtenFile = z.object({ rules: z.optional(z.array(z.unknown())) });

/** Never fails, and follows no link. @param makeCleaner gives what scrubs a text */
export function readRepositoryRules(
  root: string,
  makeCleaner: () => (text: string) => string,
): RepositoryRules {
  const found: RepositoryRules = { file: repositoryFile, rules: [], problem: null };
  try {
    const text = readPlainFile(join(root, repositoryFile));
    if (text === null) return found;
    const clean = makeCleaner();
    const { rules = [] } = z.parse(writtenFile, parseToml(text, repositoryFile));
    const read = rules.slice(0, maxRules).flatMap((one) => readRule(one, clean));
    const problem = read.length < rules.length ? describeLeftOut(rules.length - read.length) : null;
    return { ...found, rules: [...new Map(read.map((rule) => [rule.id, rule])).values()], problem };
  } catch (error) {
    const [, reason = "it is not a list of [[rules]]"] =
      error instanceof PommelError ? (/^(.*)$/m.exec(error.message) ?? []) : [];
    return { ...found, problem: `It is left out: ${reason}` };
  }
}

const describeLeftOut = (count: number): string =>
  `${count === 1 ? "One entry is" : `${count} entries are`} left out: a rule is a text and one of command, path, created, added and tool.`;

function readPlainFile(file: string): string | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || !lstatSync(dirname(file)).isDirectory()) return null;
  if (stat.size > maxBytes)
    throw new PommelError(
      "config_invalid",
      `it is larger than ${maxBytes / 1024} kB.`,
      "Move some rules out of it.",
    );
  return readFileSync(file, "utf8");
}

function readRule(given: unknown, clean: (text: string) => string): RepositoryRules["rules"] {
  const { success, data } = z.safeParse(writtenRule, given);
  if (!success || data.text.trim() === "") return [];
  const check = makeCheck(data);
  // What a secret stands in would never match once that is taken out.
  if (check === null || clean(JSON.stringify(check)) !== JSON.stringify(check)) return [];
  return [{ id: identifyCheck(check), text: clean(data.text.trim()), check }];
}

/** A person's rules, as such a file has them. */
export const writeRepositoryFile = (rules: readonly Rule[]): string =>
  stringify({ rules: rules.map(({ text, check }) => ({ text, ...writeCheck(check) })) }).trimEnd();
