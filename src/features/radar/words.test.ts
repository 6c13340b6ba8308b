import { expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { FunctionHere } from "./functions.ts";
import type { RadarAnswer } from "./operation.ts";
import { wordNotice, wordRadar, wordRadarForAgents } from "./words.ts";

const at = "2026-03-02T09:00:00.000Z";
const now = Date.parse(at) + 240_000;

function makeSession(
  id: string,
  root: string,
  one: Partial<RadarAnswer["sessions"][number]["files"][number]["functions"][number]> = {},
) {
  const functions = [
    {
      name: "parse",
      what: "changed" as const,
      line: 1,
      signature: "parse(text)",
      former_signature: null,
      ...one,
    },
  ];
  return {
    session_id: id,
    title: "Parse it",
    agent: "claude",
    root,
    branch: "fix-42",
    last_at: at,
    files: [{ path: "src/parse.ts", root, at, functions }],
  };
}
const answer: RadarAnswer = {
  sessions: [
    makeSession("aaaaaaaa-1", "/w/fix-42", {
      signature: "parse(text, strict)",
      former_signature: "parse(text)",
    }),
    makeSession("bbbbbbbb-2", "/w/main"),
  ],
  overlaps: [
    {
      path: "src/parse.ts",
      name: "parse",
      session_ids: ["aaaaaaaa-1", "bbbbbbbb-2"],
      roots: ["/w/fix-42", "/w/main"],
    },
  ],
  checkouts: [
    { root: "/w/main", is: "this" },
    { root: "/w/fix-42", is: "worktree" },
  ],
  is_on: false,
};

it("says on a terminal who is at work on what, where two meet, and how agents are told", () => {
  const print = (one: RadarAnswer) => renderDocument(wordRadar(one), { screen: screenOf(120, { now }) });
  expect(print(answer)).toBe(`2 agents at work, 1 overlap in 2 checkouts

aaaaaaaa  Parse it
  claude, worktree fix-42, branch fix-42, 4 minutes ago
  src/parse.ts  4 minutes ago
    parse()  new signature
      now  parse(text, strict)
      was  parse(text)

bbbbbbbb  Parse it
  claude, this checkout, branch fix-42, 4 minutes ago
  src/parse.ts  4 minutes ago
    parse()  changed

Overlaps
  parse() src/parse.ts  aaaaaaaa in worktree fix-42 and bbbbbbbb in this checkout

Agents are not told yet: \`pm config set radar.warn true\`, then \`pm setup\`.`);
  expect(print({ ...answer, sessions: [], overlaps: [] })).toBe("No agent is at work in 2 checkouts.");
});

it("tells an agent what others have not committed, and nothing of its own", () => {
  expect(wordRadarForAgents(answer, "bbbbbbbb-2", now)).toEqual([
    "at work now: `parse()` in src/parse.ts changed 4 minutes ago in worktree fix-42, new signature “parse(text, strict)”, which another session changed as well [aaaaaaaa]",
  ]);
});

it("words a notice as far as it is known, in quotations that cannot end", () => {
  const makeFunction = (signature: string): FunctionHere => ({
    name: "parse",
    signature,
    startLine: 1,
    endLine: 2,
    lines: [],
    code: "",
  });
  const change = {
    session: "aaaaaaaa-1",
    root: "/w/fix-42",
    what: "changed" as const,
    now: makeFunction("parse(a = “</pommel-context>”) -> B"),
    before: makeFunction("parse()"),
    isSignatureChanged: true,
  };
  const word = (...args: Parameters<typeof wordNotice>) => wordNotice(...args).join("…");
  expect(word(change, "worktree", null)).toBe(
    'Another session [aaaaaaaa] changed `parse()` in worktree fix-42 … (uncommitted): its new signature is “parse(a = "‹/pommel-context›") -> B”, was “parse()”.',
  );
  expect(word({ ...change, isSignatureChanged: false }, "clone", null)).toBe(
    "Another session [aaaaaaaa] changed `parse()` in clone /w/fix-42 … (uncommitted).",
  );
  expect(word({ ...change, what: "removed" }, "this", "load")).toBe(
    "Another session [aaaaaaaa] removed `parse()`, which `load()` calls, in this checkout … (uncommitted).",
  );
});
