import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findMentionedDirectories, hasMentionOfAnyDirectory } from "./touched-directories.ts";

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "pommel-touched-")), "transcript.jsonl");
});
afterEach(() => rmSync(join(file, ".."), { recursive: true, force: true }));

const piece = 4_194_304;

it("finds a directory wherever it stands in a transcript", () => {
  const line = JSON.stringify({ type: "user", cwd: "/home/ada/shop" });
  for (const before of [0, 1, piece - 70, piece - 40, piece - 20, piece - 5, piece, 2 * piece - 30]) {
    writeFileSync(file, `${"x".repeat(before)}\n${line}\n`);
    expect(hasMentionOfAnyDirectory(file, ["/elsewhere", "/home/ada/shop"])).toBe(true);
    expect(hasMentionOfAnyDirectory(file, ["/home/ada/sho", "/home/ada/shop/src"])).toBe(false);
  }
});

it("says the same of a directory as the list of all", () => {
  const name = fc.stringMatching(/^[a-zæ"\\ .-]{1,6}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("cwd", "workdir", "text"), path)), path, (lines, root) => {
      writeFileSync(file, lines.map(([key, value]) => JSON.stringify({ [key]: value })).join("\n"));
      const named = [...findMentionedDirectories(file, 0, 100_000)];
      const isNamed = named.some((one) => one === root || one.startsWith(`${root}/`));
      expect(hasMentionOfAnyDirectory(file, [root])).toBe(isNamed);
    }),
    { numRuns: 200 },
  );
});
