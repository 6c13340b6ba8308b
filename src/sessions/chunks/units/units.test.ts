import { describe, expect, test } from "vitest";
import {
  conversation,
  edited,
  fixtureStart,
  type Happening,
  notice,
  prompt,
  ran,
  read,
  summary,
  text,
  thinking,
  used,
  wrote,
} from "../../../../test/support/turn-fixture.ts";
import type { TranscriptEntry } from "../../../agents/agent.ts";
import { buildUnits, type ChunkUnit, formatUnit, type UnitOptions } from "./units.ts";

const options: UnitOptions = { relativize: (path) => path.replace("/p/", "") };

function units(...happenings: Happening[]): ChunkUnit[] {
  return conversation(...happenings).flatMap((turn) => buildUnits(turn, options));
}

function only(...happenings: Happening[]): ChunkUnit {
  const [unit, ...more] = units(...happenings);
  if (unit === undefined || more.length > 0) throw new Error(`${more.length} units more`);
  return unit;
}

describe("messages", () => {
  test("is read with who said it, and found by its words", () => {
    const [asked, answered] = units(prompt(" Why? \n"), text("Because."));
    expect(asked).toMatchObject({ speaker: "user", prose: "prompt", terms: { prompt: "Why?", answer: "" } });
    expect(answered).toMatchObject({
      speaker: "assistant",
      prose: "answer",
      terms: { prompt: "", answer: "Because." },
    });
    expect([asked, answered].map((unit) => unit && formatUnit(unit))).toEqual([
      "[USER] Why?",
      "[ASSISTANT] Because.",
    ]);
  });

  test("thoughts and summaries only where they are wanted", () => {
    const [turn] = conversation(prompt("Why?"), thinking("hmm"), summary("we spoke"));
    if (turn === undefined) throw new Error("no turn");
    expect(buildUnits(turn, options)).toHaveLength(1);
    const all = buildUnits(turn, { ...options, thinking: true, summaries: true });
    expect(all.map(formatUnit)).toEqual(["[USER] Why?", "[THINKING] hmm", "[SUMMARY] we spoke"]);
  });

  test("a prompt of images only, titles and compactions", () => {
    expect(only({ kind: "prompt", text: "", images: 2 }).body).toBe("(an image)");
    expect(
      units({ kind: "title", text: "x" }, { kind: "compaction", trigger: null, preTokens: null }),
    ).toEqual([]);
  });

  test("notices are shown in brief, without their tags; an interruption says nothing", () => {
    const said = only(notice(`<local-command-stdout>${"output ".repeat(100)}</local-command-stdout>`));
    expect(said).toMatchObject({ label: "[NOTICE]", prose: null, terms: { prompt: "", answer: "" } });
    expect(said.body.length).toBeLessThanOrEqual(300);
    expect(said.body).toMatch(/^output/);
    expect(units(notice("[Request interrupted by user for tool use]"))).toEqual([]);
    expect(only(notice("<bash-stdout>FAIL src/a.test.ts</bash-stdout>")).terms.errors).toContain(
      "src/a.test.ts",
    );
  });
});

describe("a tool use and its result", () => {
  test("are one unit, wherever the result is", () => {
    const [useA, resultA] = ran("ls a", "A");
    const [useB, resultB] = ran("ls b", "B");
    const made = units(
      [useA, useB, resultB, resultA].filter((entry): entry is TranscriptEntry => entry !== undefined),
    );
    expect(made.map(({ body }) => body)).toEqual([
      "[TOOL_USE] Bash ls a\n[TOOL_RESULT] A",
      "[TOOL_USE] Bash ls b\n[TOOL_RESULT] B",
    ]);
    expect(made.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
      [0, 3],
      [1, 2],
    ]);
    expect(made[0]).toMatchObject({ startedAt: fixtureStart, endedAt: fixtureStart + 3000 });
  });

  test("without a result yet, and a result without its use", () => {
    expect(only(used("Bash", { command: "sleep 9" }, null)).body).toBe("[TOOL_USE] Bash sleep 9");
    const result = ran("x", "done")[1];
    expect(result && only(result).body).toBe("[TOOL_RESULT] done");
  });

  test("of a file that was read: its name, not its content", () => {
    const unit = only(read("/p/src/x.ts", "secret content"));
    expect(unit.body).toBe("[TOOL_USE] Read src/x.ts");
    expect(unit.files).toEqual(["src/x.ts"]);
    expect(JSON.stringify(unit.terms)).not.toContain("content");
    expect(unit.outcome).toEqual({ reads: true, edits: false, fails: false, passes: false });
  });

  test("of an edit: a few changed lines, and the names in all of them", () => {
    const before = "const port = 1;\nkept();";
    const after = "const port = readPort();\nkept();";
    const unit = only(edited("/p/src/x.ts", before, `${after}\n${"more();\n".repeat(20)}lastName();`));
    expect(unit.body).toContain("[TOOL_USE] Edit src/x.ts\n[TOOL_RESULT] -const port = 1;");
    expect(unit.body).toContain("+const port = readPort();");
    expect(unit.body).not.toContain("lastName");
    expect(unit.terms.actions).toContain("lastName");
    expect(unit.outcome.edits).toBe(true);
  });

  test("of an edit without its written lines: from its input, without unchanged lines", () => {
    const unit = only(
      used("Edit", { file_path: "/p/x", old_string: "a();\nb();", new_string: "a();\nc();" }, "ok", {}, [
        { path: "/p/x", how: "edit" },
      ]),
    );
    expect(unit.body).toContain("-b();\n+c();");
    expect(unit.terms.actions).not.toContain("a();");
  });

  test("of a new file", () => {
    const unit = only(wrote("/p/x.ts", "export const a = 1;\n".repeat(500)));
    expect(unit.body.length).toBeLessThan(500);
    expect(unit.terms.actions.length).toBeLessThan(1_700);
    expect(unit.terms.actions).toContain("export const a");
  });

  test("of an edit that failed: no file was touched", () => {
    const unit = only(edited("/p/x.ts", "a", "b", { isError: true }));
    expect(unit).toMatchObject({ files: [], outcome: { edits: false, fails: false }, terms: { errors: "" } });
    expect(unit.body).toContain("error: String to replace not found");
  });

  test("of a command: a glimpse of its output, whole errors, names of failed tests", () => {
    const quiet = only(ran("npm run build", Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n")));
    expect(quiet.body.length).toBeLessThan(400);
    expect(quiet.body).toMatch(/line 0\n[\s\S]*\[4994 lines][\s\S]*line 4999$/);
    expect(quiet.terms.errors).toBe("");
    expect(quiet.outcome.passes).toBe(true);

    const failed = only(
      ran("npm test", "Exit code 1\nrunning\n × resumes a session\n1 failed", { isError: true }),
    );
    expect(failed.body).toContain("[TOOL_RESULT] error: Exit code 1\nrunning");
    expect(failed.terms.errors).toContain("resumes a session");
    expect(failed.outcome).toMatchObject({ fails: true, passes: false });
  });

  test("of a command whose output reports failure, though a pipe hid its status", () => {
    const unit = only(
      ran("go test ./... 2>&1 | tail -3", "--- FAIL: TestResume (0.1s)\nFAIL\tpkg 0.2s\nFAIL"),
    );
    expect(unit.outcome).toMatchObject({ fails: true, passes: false });
    expect(unit.terms.errors).toContain("TestResume");
  });

  test("of a command that only prints files: their errors do not count", () => {
    const unit = only(ran("cd /p && grep -rn fail src | head", "src/x.ts: throw new Error('failed')"));
    expect(unit).toMatchObject({ outcome: { fails: false, passes: false }, terms: { errors: "" } });
  });

  test("that the user declined: their words are a prompt's", () => {
    const declined =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the other file";
    const [use, said] = units(
      edited("/p/x.ts", "a", "b", { isError: true }).map((entry) =>
        entry.kind === "tool_result" ? { ...entry, text: declined } : entry,
      ),
    );
    expect(use?.body).toContain("[TOOL_RESULT] declined by the user");
    expect(said).toMatchObject({ speaker: "user", terms: { prompt: "use the other file" } });
  });

  test("that asks: question and options are the agent's words, the answer is the human's", () => {
    const questions = [
      { question: "Which cache?", options: [{ label: "Redis", description: "shared" }, { label: "memory" }] },
    ];
    const made = units(
      used("AskUserQuestion", { questions }, 'User has answered your questions: "Which cache?"="Redis"'),
    );
    expect(made.map(({ speaker }) => speaker)).toEqual(["assistant", "tool", "user"]);
    expect(made[0]?.terms.answer).toBe("Which cache? (Redis: shared / memory)");
    expect(made[2]?.terms.prompt).toContain('"Which cache?"="Redis"');
  });

  test("that shows a plan: it is the agent's words", () => {
    const [plan] = units(
      used("ExitPlanMode", { plan: "# Plan\nFirst the store." }, "User has approved your plan."),
    );
    expect(plan).toMatchObject({ speaker: "assistant", prose: "answer", body: "# Plan\nFirst the store." });
  });

  test("that delegates: the task, and the subagent's answer", () => {
    const input = {
      description: "Find callers",
      prompt: "Find every caller of openStore",
      subagent_type: "Explore",
    };
    const unit = only(used("Task", input, "openStore is called in main.ts", { subagent: "a1" }));
    expect(unit.terms.actions).toContain("every caller of openStore");
    expect(unit.terms.answer).toBe("openStore is called in main.ts");
  });

  test("with todos, a search, a command in words, a tool of a server", () => {
    const todos = [{ content: "write tests", status: "pending" }];
    expect(only(used("TodoWrite", { todos }, "Todos have been modified")).body).toBe(
      "[TOOL_USE] TodoWrite write tests",
    );
    expect(only(used("Grep", { pattern: "open.*Store", path: "/p/src" }, "a.ts\nb.ts")).body).toBe(
      "[TOOL_USE] Grep open.*Store in src\n[TOOL_RESULT] a.ts [1 more lines]",
    );
    expect(only(used("shell", { command: ["npm", "test"] }, "ok")).body).toContain("shell npm test");
    const issue = only(
      used("mcp__tracker__create", { title: "Flaky resume", body: "It fails at night", n: 3 }, "{}"),
    );
    expect(issue.terms.actions).toContain("It fails at night");
  });

  test("with an input of any shape", () => {
    for (const command of [null, 3, {}, [], [1], ["a", 2], ""])
      expect(only(used("Bash", { command, todos: "x", questions: [null, 3, "y"], edits: {} }, "")).body).toBe(
        "[TOOL_USE] Bash",
      );
  });
});
