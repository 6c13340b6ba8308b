import { createHash } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { isTable, parseToml, readText } from "../../base/config/config.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { locateHome, makeDirectory } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { checkNames, type Pattern } from "./default-pattern.ts";
import { defaultPatterns } from "./default-patterns.ts";
import {
  compileDefault,
  compileRule,
  type OnRefused,
  parsePlaceholderType,
  type SecretRule,
} from "./rule.ts";

const patternsFileName = "scrubbing-patterns.toml";

/** Where the rules of a scrubber come from. */
export interface PatternSources {
  /** The user's own file; defaults apply where it is absent or does not name them. */
  globalFile: string;
  /** A project's file, which may only add patterns; null without a project. */
  projectFile: string | null;
  /** Whether patterns for personal data apply. */
  pii: boolean;
}

/** `~/.config/pommel/scrubbing-patterns.toml`. */
export function locateGlobalPatterns(env: NodeJS.ProcessEnv = process.env): string {
  return join(locateHome(env).configDir, patternsFileName);
}

/** What the person adds for one project. */
export const locateProjectPatterns = ({ dataDir }: Project): string => join(dataDir, patternsFileName);

/**
 * Writes the user's file with every default, mode 0600, unless there is one.
 * @returns its path
 * @throws PommelError `unreadable` when it cannot be written
 */
export function ensureGlobalPatterns(env: NodeJS.ProcessEnv = process.env): string {
  const file = locateGlobalPatterns(env);
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, buildPatternsTemplate(), { flag: "wx", mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return file;
    throw new PommelError(
      "unreadable",
      `Cannot write ${file}: ${getErrorMessage(error)}.`,
      "Scrubbing uses the default patterns; check the directory's owner and permissions.",
      { cause: error },
    );
  }
  return file;
}

/**
 * The active rules: the user's, the project's, then the defaults that the user's file keeps. Of rules with overlapping
 * matches, the first gives the placeholder.
 * @throws PommelError `config_invalid` naming file, line, pattern and what is wrong; `unreadable`
 */
export function loadRules(
  { globalFile, projectFile, pii }: PatternSources,
  onRefused?: OnRefused,
): {
  rules: SecretRule[];
  fingerprint: string;
} {
  const own = readPatterns(globalFile, new Map(defaultPatterns.map((pattern) => [pattern.name, pattern])));
  const changed = new Map(own.map((entry) => [entry.pattern.name, entry]));
  const used: unknown[] = [];
  const rules: SecretRule[] = [];
  const use = (pattern: Pattern, compile: () => SecretRule) => {
    if (!pattern.enabled && !(pii && pattern.pii)) return;
    used.push([pattern.name, pattern.pattern, pattern.replacement, pattern.keywords, pattern.check]);
    rules.push(compile());
  };
  const names = new Set(defaultPatterns.map(({ name }) => name));
  const added = own.filter(({ pattern }) => !names.has(pattern.name));
  if (projectFile !== null) added.push(...readPatterns(projectFile, new Map()));
  for (const entry of added) use(entry.pattern, () => compileEntry(entry, onRefused));
  for (const pattern of defaultPatterns) {
    const entry = changed.get(pattern.name);
    const effective = entry?.pattern ?? pattern;
    use(effective, () =>
      entry === undefined || isSameRule(entry.pattern, pattern)
        ? compileDefault({ ...pattern, replacement: effective.replacement }, onRefused)
        : compileEntry(entry, onRefused),
    );
  }
  return { rules, fingerprint: createHash("sha256").update(JSON.stringify(used)).digest("hex") };
}

/** A pattern and its location, for error messages. */
interface LocatedPattern {
  pattern: Pattern;
  at: string;
}

const entrySchema = z.strictObject({
  name: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/)),
  pattern: z.optional(z.string().check(z.minLength(1))),
  replacement: z.optional(z.string()),
  keywords: z.optional(z.array(z.string().check(z.regex(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u)))),
  check: z.optional(z.enum(checkNames)),
  enabled: z.optional(z.boolean()),
  pii: z.optional(z.boolean()),
});

const expected: Record<string, string> = {
  name: 'letters, digits, "-", "_" and "."',
  pattern: "a regular expression in RE2's syntax, as text",
  replacement: 'text like "[REDACTED_INTERNAL_KEY]"',
  keywords: "a list of texts",
  check: `one of ${checkNames.join(", ")}`,
  enabled: "true or false",
  pii: "true or false",
};

/** @param defaults values for fields that an entry of the same name leaves out */
function readPatterns(file: string, defaults: ReadonlyMap<string, Pattern>): LocatedPattern[] {
  const source = readText(file);
  if (source === null) return [];
  const lines = findPatternLines(source);
  const entries: LocatedPattern[] = [];
  for (const [section, list] of Object.entries(parseToml(source, file))) {
    if (section !== "patterns" || !Array.isArray(list)) {
      throw makeInvalidPatternError(
        file,
        `unknown setting ${section}`,
        "Each pattern starts with a line [[patterns]].",
      );
    }
    list.forEach((item: unknown, index) => {
      entries.push(readEntry(item, `${file}:${lines[index] ?? 1}`, defaults));
    });
  }
  const seen = new Set<string>();
  for (const { pattern, at } of entries) {
    if (seen.has(pattern.name)) {
      throw makeInvalidPatternError(
        at,
        `there are two patterns called ${pattern.name}`,
        "Rename one of them.",
      );
    }
    seen.add(pattern.name);
  }
  return entries;
}

function readEntry(item: unknown, at: string, defaults: ReadonlyMap<string, Pattern>): LocatedPattern {
  const called =
    isTable(item) && typeof item.name === "string" ? `pattern ${item.name}` : "a pattern without a name";
  const result = entrySchema.safeParse(item);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    if (issue.code === "unrecognized_keys") {
      throw makeInvalidPatternError(
        at,
        `${called} has the unknown field ${issue.keys[0]}`,
        `Known fields: ${Object.keys(expected).join(", ")}.`,
      );
    }
    const field = String(issue.path[0] ?? "name");
    throw makeInvalidPatternError(
      at,
      `${called}: ${field} is missing or invalid`,
      `It must be ${expected[field]}.`,
    );
  }
  const { name, ...given } = result.data;
  const base = defaults.get(name);
  const pattern = given.pattern ?? base?.pattern;
  if (pattern === undefined)
    throw makeInvalidPatternError(at, `${called}: pattern is missing`, `It must be ${expected.pattern}.`);
  const replacement =
    given.replacement ?? base?.replacement ?? `[REDACTED_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}]`;
  if (parsePlaceholderType(replacement) === null) {
    throw makeInvalidPatternError(
      at,
      `${called}: ${JSON.stringify(replacement)} is not a placeholder`,
      'A replacement looks like "[REDACTED_INTERNAL_KEY]": capitals, digits and "_", not ending in a number after "_".',
    );
  }
  // Missing fields come from the default only while the pattern is the same.
  const same = base?.pattern === pattern ? base : undefined;
  return {
    at,
    pattern: {
      name,
      pattern,
      replacement,
      keywords: given.keywords ?? same?.keywords ?? [],
      check: given.check ?? same?.check ?? null,
      enabled: given.enabled ?? base?.enabled ?? true,
      pii: given.pii ?? base?.pii ?? false,
    },
  };
}

function compileEntry({ pattern, at }: LocatedPattern, onRefused?: OnRefused): SecretRule {
  try {
    return compileRule(pattern, onRefused);
  } catch (error) {
    throw makeInvalidPatternError(
      at,
      `pattern ${pattern.name} is not a valid regular expression: ${getErrorMessage(error)}`,
      "Patterns are written in RE2's syntax (https://github.com/google/re2/wiki/Syntax): no look-around, no back-references.",
    );
  }
}

/** Whether an entry matches the same as the default of its name. */
function isSameRule(entry: Pattern, pattern: Pattern): boolean {
  const lower = (words: readonly string[]) => words.map((word) => word.toLowerCase()).join("\n");
  return (
    entry.pattern === pattern.pattern &&
    entry.check === pattern.check &&
    lower(entry.keywords) === lower(pattern.keywords)
  );
}

function findPatternLines(source: string): number[] {
  return source
    .split("\n")
    .flatMap((line, index) => (/^\s*\[\[\s*patterns\s*\]\]/.test(line) ? [index + 1] : []));
}

function makeInvalidPatternError(at: string, what: string, hint: string): PommelError {
  return new PommelError("config_invalid", `${at}: ${what}.`, hint);
}

/** The initial file: every default as a comment, so that an update of Pommel changes those that nobody edited. */
function buildPatternsTemplate(): string {
  const entries = defaultPatterns.map((pattern) => {
    const lines = [
      "[[patterns]]",
      `name = ${JSON.stringify(pattern.name)}`,
      `pattern = ${toTomlLiteral(pattern.pattern)}`,
      `replacement = ${JSON.stringify(pattern.replacement)}`,
    ];
    if (pattern.keywords.length > 0)
      lines.push(`keywords = [${pattern.keywords.map(toTomlLiteral).join(", ")}]`);
    if (pattern.check !== null) lines.push(`check = ${JSON.stringify(pattern.check)}`);
    if (pattern.pii) lines.push("pii = true");
    if (!pattern.enabled) lines.push("enabled = false");
    return lines.map((line) => `# ${line}`).join("\n");
  });
  return `${head}\n${entries.join("\n\n")}\n`;
}

const head = `# What Pommel removes from sessions before it stores them; see docs/scrubbing.md. Every pattern below is a default. To
# change one, remove the "# " before its lines; to add one, write it as they are.
#
#   name         what the pattern is called
#   pattern      a regular expression in RE2's syntax; with a group (?<secret>...) only that part is replaced
#   replacement  a placeholder, [REDACTED_TYPE]
#   keywords     the pattern is tried only where one of these occurs, in upper or lower case; without them everywhere
#   check        leaves out variables, types, words and examples: ${checkNames.join(", ")}
#   enabled      false switches the pattern off; a comment again, an entry is as its default
#   pii          true for personal data: in force when scrub.pii is true as well
`;

/** A literal TOML string where possible, so that backslashes need no escaping. */
function toTomlLiteral(text: string): string {
  if (!text.includes("'")) return text.includes("\\") || text.includes('"') ? `'${text}'` : `"${text}"`;
  return text.includes("'''") || text.endsWith("'") ? JSON.stringify(text) : `'''${text}'''`;
}
