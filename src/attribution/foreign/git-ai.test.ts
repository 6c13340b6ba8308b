import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributedLines, byLine } from "../../../test/support/attributed-lines.ts";
import { violations } from "../../../test/support/git-ai-standard.ts";
import { findPommelVersionInNote, readAuthorshipLog, writeAuthorshipLog } from "./git-ai.ts";
import type { AttributedLines } from "./types.ts";

type LogToWrite = Parameters<typeof writeAuthorshipLog>[0];

const hash = "7734793b756b3921c88db5375a8c156e9532447b";
const write = (lines: readonly AttributedLines[], more: Partial<LogToWrite> = {}) =>
  writeAuthorshipLog({ hash, person: "Ann <ann@example.com>", version: "1.2.3", lines, ...more });
const human = { author: "human", tool: null, model: null, session: null, call: null, person: null } as const;
const agent = {
  author: "agent",
  tool: "claude",
  model: "opus",
  session: "one",
  call: "a",
  person: null,
} as const;

describe("writing an authorship log", () => {
  it("groups the lines of a file by session and call, and names people by the commit's author", () => {
    const log = write([
      { path: "src/main.ts", first: 1, last: 4, ...agent },
      { path: "src/main.ts", first: 5, last: 5, ...human },
      { path: "src/main.ts", first: 6, last: 9, ...agent },
      { path: "src/main.ts", first: 10, last: 10, ...agent, call: "b" },
      { path: "a b.ts", first: 3, last: 3, ...human },
      { path: "c.ts", first: 1, last: 1, ...human, author: "unknown" },
    ])!;
    expect(log.slice(0, log.indexOf("{"))).toBe(
      [
        '"a b.ts"',
        "  h_a15d61eb127163 3",
        "src/main.ts",
        "  s_61e4272d3f95fa::t_145f2f9d3c8b64 1-4,6-9",
        "  h_a15d61eb127163 5",
        "  s_61e4272d3f95fa::t_0f4ab462f2d654 10",
        "---",
        "",
      ].join("\n"),
    );
    expect(violations(log)).toEqual([]);
    expect(findPommelVersionInNote(log)).toBe("1.2.3");
  });

  it("attests nothing where nothing is known, or no name can be written", () => {
    expect(write([])).toBeNull();
    expect(write([{ path: "a.ts", first: 1, last: 2, ...human, author: "unknown" }])).toBeNull();
    expect(write([{ path: 'a"b\n  h_0 1', first: 1, last: 2, ...human }])).toBeNull();
  });

  it("keeps the names of people that a note has, and the commit's author for others", () => {
    const log = write([
      { path: "a.ts", first: 1, last: 1, ...human },
      { path: "a.ts", first: 2, last: 2, ...human, person: "Ben <ben@example.com>" },
    ])!;
    expect(readAuthorshipLog(log).map(({ person }) => person)).toEqual([
      "Ann <ann@example.com>",
      "Ben <ben@example.com>",
    ]);
    expect(violations(log)).toEqual([]);
  });

  it("gives a session the model of most of its lines", () => {
    const log = write([
      { path: "a.ts", first: 1, last: 1, ...agent, model: "small" },
      { path: "a.ts", first: 2, last: 9, ...agent, model: "large" },
    ])!;
    expect(readAuthorshipLog(log).map(({ model }) => model)).toEqual(["large"]);
    expect(violations(log)).toEqual([]);
  });

  it("follows the standard, and loses nothing that it can say", () => {
    const said = ({ author, tool, model, session }: AttributedLines) => [author, tool, model, session];
    fc.assert(
      fc.property(attributedLines, (lines) => {
        const log = write(lines);
        const known = lines.filter(({ author }) => author !== "unknown");
        expect(log === null).toBe(known.length === 0);
        if (log === null) return;
        expect(violations(log)).toEqual([]);
        expect(byLine(readAuthorshipLog(log), said)).toEqual(byLine(known, said));
        expect(write(lines)).toBe(log);
      }),
    );
  });
});
