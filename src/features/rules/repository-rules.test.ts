import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { readRepositoryRules, writeRepositoryFile } from "./repository-rules.ts";

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

const file = () => join(home.dir, ".pommel/rules.toml");
function put(text: string): void {
  mkdirSync(dirname(file()), { recursive: true });
  writeFileSync(file(), text);
}
const read = (clean = (text: string) => text) => readRepositoryRules(home.dir, () => clean);

it("a repository without the file says nothing, and nothing is made to clean its words", () => {
  const none = readRepositoryRules(home.dir, () => {
    throw new Error("not needed");
  });
  expect(none).toEqual({ file: ".pommel/rules.toml", rules: [], problem: null });
});

it("an entry is a text and one thing that it forbids; others are left out, and counted", () => {
  put(`
    [[rules]]
    text = "never push to main"
    command = "git  push main"
    [[rules]]
    text = "migrations are never edited"
    path = "db/migrations/"
    [[rules]]
    text = "log with slog"
    added = "fmt.Println"
    [[rules]]
    text = "two things"
    command = "git push"
    path = "db"
    [[rules]]
    command = "git push"
    [[rules]]
    text = "many stars"
    path = "**/*/**/*/**/*"
  `);
  const { rules, problem } = read();
  expect(rules.map(({ text, check }) => [text, check.kind])).toEqual([
    ["never push to main", "command"],
    ["migrations are never edited", "path"],
    ["log with slog", "added"],
  ]);
  expect(rules[0]!.check).toEqual({ kind: "command", words: ["git", "push", "main"] });
  expect(problem).toMatch(/^3 entries are left out/);
});

it("a mode in the file changes nothing", () => {
  put('[[rules]]\ntext = "no"\ncommand = "ls"\nmode = "deny"\n');
  expect(read().rules).toEqual([
    { id: expect.any(String) as string, text: "no", check: { kind: "command", words: ["ls"] } },
  ]);
});

it("its words are scrubbed, and what a secret stands in is no check", () => {
  put('[[rules]]\ntext = "say hunter2"\ncommand = "ls"\n[[rules]]\ntext = "x"\ncommand = "echo hunter2"\n');
  const { rules } = read((text) => text.replaceAll("hunter2", "[REDACTED]"));
  expect(rules.map(({ text }) => text)).toEqual(["say [REDACTED]"]);
});

it("a file that is no list of rules, is too large or is a link is left out", () => {
  put("rules = 3");
  expect(read()).toMatchObject({ rules: [], problem: "It is left out: it is not a list of [[rules]]" });
  put("[[rules");
  expect(read().problem).toMatch(/^It is left out: \.pommel\/rules\.toml:1:\d+: not valid TOML/);
  put(`# ${"x".repeat(70_000)}`);
  expect(read().problem).toBe("It is left out: it is larger than 64 kB.");
});

it("follows no link", () => {
  mkdirSync(dirname(file()));
  writeFileSync(join(home.dir, "other.toml"), '[[rules]]\ntext = "no"\ncommand = "ls"\n');
  symlinkSync(join(home.dir, "other.toml"), file());
  expect(read()).toMatchObject({ rules: [], problem: null });
});

it("what a person's rules are written as is read again", () => {
  put('[[rules]]\ntext = "a"\ncommand = "git push -f"\n[[rules]]\ntext = "b"\npath = "db/"\n');
  const { rules } = read();
  put(
    writeRepositoryFile(
      rules.map((rule) => ({ ...rule, times: 1, sessions: 0, said: [], mode: "deny" as const })),
    ),
  );
  expect(read().rules).toEqual(rules);
});
