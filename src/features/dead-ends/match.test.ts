import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { pickTellingLines } from "../../base/text/telling-lines.ts";
import {
  areSameLines,
  doesWrite,
  hashLine,
  isSameCall,
  listRelativePaths,
  readCommands,
  toAddress,
  type WrongAddress,
  type WrongWord,
} from "./match.ts";

const stat: WrongWord = {
  kind: "word",
  words: ["gh", "pr", "diff"],
  word: "--stat",
  isSubcommand: false,
  directory: null,
};
const isSame = (trace: WrongWord | WrongAddress, line: string, directory: string | null = "") =>
  isSameCall(trace, readCommands(line), directory);

describe("a call that failed for a word", () => {
  it.each(["gh pr diff 104 --stat", "cd x && gh pr diff --stat=1 7 | head", "(gh pr diff --stat)"])(
    "is the same in: %s",
    (line) => expect(isSame(stat, line)).toBe(true),
  );
  it.each([
    "gh pr diff 104",
    "git diff --stat",
    "gh pr view --stat",
    'echo "gh pr diff --stat"',
    "gh pr diff && git diff --stat",
  ])("is another in: %s", (line) => expect(isSame(stat, line)).toBe(false));
  it("is about what is there only in its directory", () => {
    const script: WrongWord = {
      kind: "word",
      words: ["npm"],
      word: "typecheck",
      isSubcommand: false,
      directory: "web",
    };
    expect(isSame(script, "npm run typecheck", "web")).toBe(true);
    expect(isSame(script, "npm run typecheck", "")).toBe(false);
  });
  it("is any of a program that is missing, also of one that runs others", () => {
    const missing: WrongWord = {
      kind: "word",
      words: [],
      word: "timeout",
      isSubcommand: false,
      directory: null,
    };
    expect(isSame(missing, "timeout 60 go test ./...")).toBe(true);
    expect(isSame(missing, "go test -timeout 60s ./...")).toBe(false);
  });
  it("is a program that another one does not run", () => {
    const through: WrongWord = {
      kind: "word",
      words: ["rtk"],
      word: "bun",
      isSubcommand: true,
      directory: null,
    };
    expect(isSame(through, "cd x && rtk bun run test 2>&1 | tail")).toBe(true);
    expect(isSame(through, "bun run test")).toBe(false);
    expect(isSame(through, "rtk lint bun run lint")).toBe(false);
  });
  it("is a part of a list", () => {
    const field: WrongWord = {
      kind: "word",
      words: ["gh", "pr", "view"],
      word: "merged",
      isSubcommand: false,
      directory: null,
    };
    expect(isSame(field, "gh pr view 7 --json title,merged")).toBe(true);
    expect(isSame(field, "gh pr view 7 --json title,mergedAt")).toBe(false);
  });
});

it("a relative path is looked at as far as the shell is where it was", () => {
  const list = (line: string) => listRelativePaths(readCommands(line)).map(({ first }) => first);
  expect(list("ls go/cmd && cat ./src/a.ts")).toEqual(["go", "src"]);
  expect(list("cd go/cmd && ls src/a.ts")).toEqual(["go"]);
  expect(list("git -C web diff -- src/a.ts; gh pr diff 7 -- src/a.ts")).toEqual([]);
  expect(list("ls /tmp/x ../y $HOME/z https://a.b/c -I=inc/x *.ts")).toEqual([]);
});

it("an address is the same with other numbers, if it reads or writes as before", () => {
  expect(toAddress("repos/a/b/pulls/7/comments/81?per_page=3")).toBe("repos/a/b/pulls/#/comments/#");
  expect(toAddress("v2beta/x")).toBe("v2beta/x");
  expect(toAddress("--json")).toBeNull();
  const address: WrongAddress = {
    kind: "address",
    words: ["gh", "api"],
    address: "repos/a/b/pulls/#",
    writes: false,
  };
  expect(isSame(address, "gh api repos/a/b/pulls/9 --jq .title")).toBe(true);
  expect(isSame(address, "gh api repos/a/b/pulls/9 -f body=x")).toBe(false);
  expect(isSame(address, "gh api repos/a/b/issues/9")).toBe(false);
  expect(doesWrite(["x/y", "-X", "GET", "-f", "a=b"])).toBe(false);
});

describe("lines that were taken back", () => {
  const line = fc.stringMatching(/^[a-z]{6,12} [a-z]{6,12}$/);
  it("are the same in any order, with any indentation, among others; and not where most are missing", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 3, maxLength: 8 }),
        fc.array(line, { maxLength: 5 }),
        fc.nat(4),
        (lines, others, indent) => {
          const trace = { kind: "lines", path: "a.ts", lines: lines.map(hashLine) } as const;
          const again = [...others, ...lines.toReversed().map((one) => `${" ".repeat(indent)}${one}`)];
          expect(areSameLines(trace, again)).toBe(true);
          const few = lines.slice(0, Math.ceil(lines.length * 0.6) - 1);
          expect(areSameLines(trace, few)).toBe(false);
        },
      ),
      { numRuns: runs(100) },
    );
  });
  it("are none of those that any file has", () => {
    expect(pickTellingLines(["}", "  return;", "", "  const retries = 3;", "// ----------"])).toEqual([
      "const retries = 3;",
    ]);
  });
});
