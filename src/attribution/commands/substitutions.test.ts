import { describe, expect, it } from "vitest";
import { replacementsIn, substitutionsIn } from "./shell.ts";

const made = (command: string, line: string) =>
  substitutionsIn(command).reduce((text, replace) => replace(text), line);

describe("a replacement in place", () => {
  it.each([
    ["sed -i 's/old/new/g' a.ts", "old(old)", "new(new)"],
    ["sed -i 's/old/new/' a.ts", "old(old)", "new(old)"],
    ["sed -i -e 's|a/b|c/d|' -e 's/x/y/' a.ts", "a/b x", "c/d y"],
    ["sed -i 's/\\bfoo\\b/bar/g' a.ts", "foo food", "bar food"],
    ["sed -i 's/\\(a\\)(\\(b\\))/\\2(\\1)/' a.ts", "a(b)", "b(a)"],
    ["sed -i -E 's/(a)(b)/\\2\\1 & $/' a.ts", "ab", "ba ab $"],
    ["perl -pi -e 's/old/new/g' a.ts", "old", "new"],
  ])("%s", (command, before, after) => {
    expect(made(command, before)).toBe(after);
  });

  it("is none without -i, nor with an expression that is invalid or takes too long elsewhere", () => {
    expect(substitutionsIn("sed 's/a/b/' a.ts")).toEqual([]);
    expect(substitutionsIn("sed -i -E 's/(/b/' a.ts")).toEqual([]);
    expect(made("sed -i -E 's/(a+)+$/b/' a.ts", `${"a".repeat(5000)}!`)).toContain("!");
  });
});

it("what a command puts in place is known where it does nothing else", () => {
  expect(replacementsIn("cd src && sed -i 's/oldName/newName/g' a.ts")).toEqual(["newName"]);
  expect(replacementsIn("sed -i 's/a/newName/' a.ts && make")).toBeNull();
  expect(replacementsIn("sed -i 's/a/b/' a.ts")).toBeNull();
  expect(replacementsIn("sed -i '/x/d' a.ts")).toBeNull();
});
