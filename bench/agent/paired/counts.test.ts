import { describe, expect, it } from "vitest";
import { accountOf, contaminationIn } from "./counts.ts";

const init = {
  type: "system",
  subtype: "init",
  tools: ["Bash", "Read"],
  skills: ["review"],
  mcp_servers: [] as { name: string; status: string }[],
  plugins: [{ name: "privacy", path: "builtin" }],
};
const withPommel = {
  ...init,
  tools: [...init.tools, "mcp__pommel__why"],
  mcp_servers: [{ name: "pommel", status: "connected" }],
  skills: [...init.skills, "pommel"],
};

let uses = 0;
const use = (name: string, input: object) => ({ type: "tool_use", id: `toolu_${++uses}`, name, input });
const says = (id: string, block: object) => ({ type: "assistant", message: { id, content: [block] } });
const answers = (tool_use_id: string, is_error = false) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id, is_error }] },
});
const usage = (each: number) => ({
  inputTokens: each,
  outputTokens: each,
  cacheReadInputTokens: each,
  cacheCreationInputTokens: each,
});
const result = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Done.",
  total_cost_usd: 0.5,
  modelUsage: { large: usage(100), small: usage(1) },
};
const printed = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

describe("counting", () => {
  it("counts a message once, though it is printed block by block", () => {
    const [first, second] = [use("Bash", { command: "ls" }), use("Bash", { command: "pwd" })];
    const { counts } = accountOf(
      printed(
        says("m1", { type: "text" }),
        says("m1", first),
        says("m1", second),
        says("m2", { type: "text" }),
      ),
    );
    expect(counts).toMatchObject({ turns: 2, toolCalls: 2 });
  });

  it("counts files once, and only those that were read", () => {
    const reads = ["/a", "/a", "/b", "/absent", "/unanswered"].map((file_path) => use("Read", { file_path }));
    const [again, , , absent] = reads;
    const results = reads.slice(0, 4).map(({ id }) => answers(id, id === absent!.id));
    const { counts } = accountOf(
      printed(...reads.map((read) => says("m1", read)), ...results, answers(again!.id)),
    );
    expect(counts).toMatchObject({ toolCalls: 5, filesRead: 2 });
  });

  it("adds up the tokens of all models as the client does", () => {
    const { counts, answer, end } = accountOf(printed(init, result));
    expect(counts).toMatchObject({ tokens: 404, outputTokens: 101, usd: 0.5 });
    expect({ answer, end }).toEqual({ answer: "Done.", end: "answered" });
  });

  it("knows calls of Pommel by tool and by command", () => {
    const calls = [
      use("mcp__pommel__why", {}),
      use("Bash", { command: "cd src && pm search x" }),
      use("Bash", { command: "npm test" }),
      use("Bash", { command: "echo pm" }),
      use("mcp__other__pommel", {}),
    ];
    expect(accountOf(printed(...calls.map((call) => says("m1", call)))).counts.pommelCalls).toBe(2);
  });

  it("keeps what a client printed that was ended in the middle of a line", () => {
    const { counts, end } = accountOf(`${printed(init, says("m1", use("Bash", {})))}{"type":"resu`);
    expect(counts).toMatchObject({ turns: 1, toolCalls: 1, tokens: null, usd: null });
    expect(end).toBeNull();
  });

  it.each([
    [{ ...result, is_error: true }, "failed"],
    [{ ...result, subtype: "error_max_budget_usd", is_error: true }, "limited"],
    [{ ...result, subtype: "error_during_execution", is_error: true }, "failed"],
  ])("tells a failure from a limit (%#)", (last, end) => {
    expect(accountOf(printed(init, last)).end).toBe(end);
  });
});

describe("contamination", () => {
  const found = (arm: "without" | "with", ...lines: object[]) =>
    contaminationIn(accountOf(printed(...lines)), arm, ["/home/dev/.claude"]);

  it("is not in what the arms should have", () => {
    expect(found("without", init)).toEqual([]);
    expect(found("with", withPommel)).toEqual([]);
  });

  it("is Pommel in the arm without it, and its absence in the other", () => {
    expect(found("without", withPommel)).toEqual(["Pommel"]);
    expect(found("without", { ...init, skills: ["pommel"] })).toEqual(["Pommel"]);
    expect(found("with", init)).toEqual(["no MCP server of Pommel"]);
    const failed = { ...withPommel, mcp_servers: [{ name: "pommel", status: "failed" }] };
    expect(found("with", failed)).toEqual(["no MCP server of Pommel"]);
  });

  it.each(["without", "with"] as const)("is a foreign server, tool or plugin in the arm %s", (arm) => {
    const own = arm === "with" ? withPommel : init;
    const foreign = {
      ...own,
      tools: [...own.tools, "mcp__other__recall"],
      mcp_servers: [...own.mcp_servers, { name: "other", status: "connected" }],
      plugins: [...own.plugins, { name: "memory", path: "/home/dev/.claude/plugins/memory" }],
    };
    expect(found(arm, foreign)).toEqual(["MCP server other", "tool mcp__other__recall", "plugin memory"]);
  });

  it("is a tool that was given a path of the user's", () => {
    const call = says("m1", use("Bash", { command: "cat /home/dev/.claude/CLAUDE.md" }));
    expect(found("without", init, call)).toEqual(["use of /home/dev/.claude"]);
  });
});
