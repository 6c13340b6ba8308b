import { Command } from "commander";
import { expect, it } from "vitest";
import { forget } from "../features/forget/operation.ts";
import { searchAll } from "../features/search/operation.ts";
import { addOptions } from "./options.ts";

const made = () => addOptions(new Command(), searchAll, { q: null, file: "-f, --file <path>" });

function read(...args: string[]): Record<string, unknown> {
  const command = made()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(args, { from: "user" }).opts();
}

it("makes an option of each field, as the schema describes it", () => {
  const help = made().helpInformation().replace(/\s+/g, " ");
  expect(help).toMatch(/-l, --level <levels> +only these levels; comma separated \(choices: "file"/);
  expect(help).toMatch(/-f, --file <path> +only turns that touched these paths or globs; repeatable/);
  expect(help).toMatch(/--session <id> +only this session; a prefix of its id is enough/);
  expect(help).toMatch(/--explain +show/);
  expect(help).not.toContain("--q");
});

it("gives a field its value under its own name", () => {
  const command = addOptions(new Command(), forget).exitOverride();
  expect(command.parse(["--dry-run"], { from: "user" }).opts()).toEqual({ dry_run: true });
});

it("reads values as the schema takes them", () => {
  expect(read("--level", "file,class", "-l", "block", "--explain", "-n", "3")).toEqual({
    level: ["file", "class", "block"],
    explain: true,
    limit: 3,
  });
  expect(read("-f", "a,b", "--file", "*.{js,ts}", "--language", "go, ts")).toEqual({
    file: ["a,b", "*.{js,ts}"],
    language: ["go", "ts"],
  });
});

it.each([
  [["--level", "file,paragraph"], "Allowed choices are file, class, method, block, lines, function."],
  [["--type", "note"], "Allowed choices are raw, summary, annotated."],
  [["--kind", "bug"], "Allowed choices are decision, code-change"],
  [["--mode", "fuzzy"], "Allowed choices are hybrid, fts, regex, semantic."],
  ...["0", "1001", "2.5", "many", ""].map((limit): [string[], string] => [
    ["-n", limit],
    "It must be a whole number from 1 to 1000.",
  ]),
])("refuses %j, and says what may be", (args, message) => {
  expect(() => read(...args)).toThrow(message);
});

it("takes limits of results that the daemon takes", () => {
  expect([read("-n", "1").limit, read("-n", "1000").limit]).toEqual([1, 1000]);
});
