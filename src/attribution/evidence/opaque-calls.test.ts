import { describe, expect, it } from "vitest";
import {
  type Act,
  bySession,
  evidenceOfChange,
  lineIn,
  memoryOfFile,
  minute,
  ran,
  rememberTurn,
  runAt,
} from "../../../test/support/attribution-fixture.ts";
import { makeAgentVerdict, makeHumanVerdict, makeUnknownVerdict } from "../lines/verdict.ts";
import { Judge } from "./judge.ts";
import { isRenamedLine, onlyReads, readOpaqueInput } from "./opaque-calls.ts";

const memory = memoryOfFile();
const seconds = 1000;

/** An agent calls a tool whose result says nothing, for some seconds; there was a session before. */
function called(tool: string, input: Record<string, unknown>, forSeconds = 3): void {
  rememberTurn(memory, "first", [ran("ls", minute)]);
  const act: Act = { tool, input, at: runAt, answeredAt: runAt + forSeconds * seconds, says: "OK" };
  rememberTurn(memory, "s", [act]);
}

const judge = () => new Judge(evidenceOfChange(memory));
const seen = (path: string, after: number, bare?: string) =>
  judge().judgeByFirstSeen(lineIn(path, bare), [runAt + after], []);
const absent = (path: string, bare?: string) => judge().judgeByAbsence(lineIn(path, bare));

describe("a line that showed up while a tool ran of which nobody knows what it writes", () => {
  it("is the agent's in a file that the call names, else unknown, and a person's before and after", () => {
    called("mcp__codemod__apply", { target: "/repo/src/a.ts" });
    expect(seen("src/a.ts", 2000)).toEqual(makeAgentVerdict(bySession(), "edit", "ran"));
    expect(seen("src/b.ts", 2000)).toEqual(makeUnknownVerdict("command"));
    expect(seen("src/a.ts", -2000)).toEqual(makeHumanVerdict("alone"));
    expect(seen("src/a.ts", 9000)).toEqual(makeHumanVerdict("alone"));
  });

  it("is the agent's where it holds a name that the call puts in", () => {
    called("mcp__lsp__rename", { file: "/repo/src/a.ts", line: 3, newName: "keepOrder" });
    expect(seen("src/b.ts", 2000, "keepOrder(one)")).toEqual(makeAgentVerdict(bySession(), "edit", "ran"));
  });

  it("is a person's while a tool ran that only reads", () => {
    called("mcp__index__find_references", { path: "/repo/src/a.ts" });
    expect(seen("src/a.ts", 2000)).toEqual(makeHumanVerdict("alone"));
  });

  it("is not the call's that only copies", () => {
    called("mcp__fs__copy_file", { source: "/repo/src/b.ts", destination: "/repo/src/a.ts" });
    expect(seen("src/a.ts", 2000)).toEqual(makeUnknownVerdict("command"));
  });

  it("is the agent's where an edit says nothing of what it changed", () => {
    called("Edit", { file_path: "/repo/src/a.ts", instructions: "Do it" });
    expect(seen("src/a.ts", 2000)).toEqual(makeAgentVerdict(bySession(), "edit", "ran"));
  });
});

describe("a line that nobody saw, in the time of such a call", () => {
  it("is unknown in a file that the call names, and a person's in others", () => {
    called("mcp__codemod__apply", { target: "/repo/src/a.ts" });
    expect(absent("src/a.ts")).toEqual(makeUnknownVerdict("command"));
    expect(absent("src/b.ts")).toEqual(makeHumanVerdict("absence"));
  });

  it("is unknown everywhere where a tool that rewrites names no file", () => {
    called("mcp__ast__rewrite_pattern", { rule: "no-legacy" });
    expect(absent("src/b.ts")).toEqual(makeUnknownVerdict("command"));
  });

  it("is a person's where the tool is about something else", () => {
    called("mcp__tracker__create_issue", { title: "Something is slow" });
    expect(absent("src/b.ts")).toEqual(makeHumanVerdict("absence"));
  });
});

it.each([
  ["mcp__fs__read_file", true],
  ["mcp__github__list_issues", true],
  ["WebFetch", true],
  ["AskUserQuestion", true],
  ["mcp__pommel__add_note", true],
  ["mcp__serena__find_and_replace", false],
  ["mcp__serena__replaceSymbolBody", false],
  ["mcp__unknown__xyzzy", false],
  ["NotebookEdit", false],
])("%s only reads: %s", (tool, reads) => {
  expect(onlyReads(tool)).toBe(reads);
});

it("the paths of an input are those of files, wherever they stand in it", () => {
  const input = { files: [{ path: "/repo/src/a.ts" }, { uri: "file:///repo/b.ts" }], text: "Say so. Now" };
  const relativize = (path: string) => path.replace("/repo/", "");
  const { paths } = readOpaqueInput("mcp__fs__edit", input, relativize);
  expect([...paths].sort()).toEqual(["b.ts", "src/a.ts"]);
});

it("a renamed line is the one before with another name in one place or several", () => {
  const call = { texts: ["keepOrder", "src/a.ts"] } as unknown as Parameters<typeof isRenamedLine>[0];
  expect(isRenamedLine(call, "saveOrder(saveOrder.x)", "keepOrder(keepOrder.x)")).toBe(true);
  expect(isRenamedLine(call, "saveOrder(b)", "keepOrder(a)")).toBe(false);
  expect(isRenamedLine(call, "keepOrder(a)", "keepOrder(a)")).toBe(false);
});
