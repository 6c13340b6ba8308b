import { describe, expect, it } from "vitest";
import table from "./error-formats.json" with { type: "json" };
import { findErrorRule, isErrorLine } from "./error-formats.ts";
import { extractErrorLines } from "./tool-results.ts";

describe.each(table.map((format) => [`${format.tool} (${format.language})`, format] as const))(
  "%s",
  (_, format) => {
    it.each(format.lines as [string, string | null][])("prints %j", (line, rule) => {
      expect(new RegExp(format.pattern).test(line)).toBe(true);
      expect(extractErrorLines(`fine\n${line}\nfine`, 1000)).toContain(line.trim());
      if (rule !== null) expect(findErrorRule(line)).toBe(rule);
    });

    it.each("quiet" in format ? (format.quiet as string[]) : [])("reports no error with %j", (line) => {
      expect(isErrorLine(line)).toBe(false);
    });
  },
);

it("knows the tools of every language that is parsed", () => {
  const known = new Set(table.map(({ language }) => language));
  const languages =
    "TypeScript JavaScript Python Go Java Rust C# C C++ Ruby PHP Kotlin Swift Scala Bash Lua Elixir";
  expect(languages.split(" ").filter((language) => !known.has(language))).toEqual([]);
});

it.each([
  "ok  \texample.com/app\t0.1s",
  "✓ reports an error",
  "const x = 3;",
  "Compiling app v0.1.0",
  "import os",
  "  12 passed",
  "Done in 3.2s",
])("%j is no error", (line) => {
  expect(isErrorLine(line)).toBe(false);
});
