import table from "./error-formats.json" with { type: "json" };

/**
 * How compilers, test runners, linters and package managers print an error, each by a pattern. A group called `rule` is the
 * rule (where the tool `lints`) or the class of error, which stays the same where the message does not. `lines` are examples with their rule,
 * `quiet` lines of the same tool that report no error.
 */
const rules: readonly { pattern: RegExp; lints: boolean }[] = table
  .filter(({ pattern }) => pattern.includes("(?<rule>"))
  .map((format) => ({ pattern: new RegExp(format.pattern), lints: "lints" in format && format.lints }));

/** Characters of a line that are looked at. */
const maxLine = 600;

/** Patterns as one: a line is looked at once. Names of groups may not stand in it twice. */
const joinFormats = (formats: readonly { pattern: string }[]) =>
  new RegExp(formats.map(({ pattern }) => `(?:${pattern.replaceAll("(?<rule>", "(?:")})`).join("|"));

const anyFormat = joinFormats(table);
/** Of compilers and test runners that print such a line only where they fail. */
const anyFailure = joinFormats(table.filter((format) => "fails" in format && format.fails));

/** Whether a line reports an error as a known tool prints it. */
export const isErrorLine = (line: string): boolean => anyFormat.test(line.slice(0, maxLine));

/** Whether a line means that what printed it failed, whatever its exit status. */
export const isFailureLine = (line: string): boolean => anyFailure.test(line.slice(0, maxLine));

/** The rule or class of error that a line names; null: none that is known. */
export const findErrorRule = (line: string): string | null => readRule(line)?.rule ?? null;

/** The rule of a linter that a line names: it is broken in many places, and mended alike. */
export function findLintRule(line: string): string | null {
  const read = readRule(line);
  return read?.lints ? read.rule : null;
}

function readRule(line: string): { rule: string; lints: boolean } | null {
  const start = line.slice(0, maxLine);
  for (const { pattern, lints } of rules) {
    const rule = pattern.exec(start)?.groups?.rule;
    if (rule !== undefined) return { rule, lints };
  }
  return null;
}
