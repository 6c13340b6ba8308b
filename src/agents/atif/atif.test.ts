import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeRewritten } from "../../../test/support/agent-rewritten-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { atifTrajectory } from "../../../test/support/atif-schema.ts";
import type { TranscriptEntry, TranscriptLine } from "../agent.ts";
import { atif, parseTrajectory } from "./atif.ts";
import { buildTrajectory } from "./trajectory.ts";

const startedAt = Date.parse("2026-03-02T09:00:00.000Z");
const step = (step_id: number, more: object) => ({
  step_id,
  timestamp: new Date(startedAt + 1000 * (step_id - 1)).toISOString(),
  source: "agent",
  message: "",
  ...more,
});
const call = (id: string, name: string, args: object) => ({
  tool_call_id: id,
  function_name: name,
  arguments: args,
});
const answer = (id: string, content: unknown, more = {}) => ({
  observation: { results: [{ source_call_id: id, content, ...more }] },
});

/** As a harness other than ours writes it. */
const steps = [
  step(1, { source: "system", message: "You are a helpful agent." }),
  step(2, {
    source: "user",
    message: [
      { type: "text", text: "Fix the cart" },
      { type: "image", source: {} },
    ],
  }),
  step(3, {
    message: "I look first.",
    reasoning_content: "Where is it?",
    tool_calls: [call("c1", "bash_command", { keystrokes: "grep -rn total src\n" })],
    metrics: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 60 },
    ...answer("c1", "src/cart.ts:1"),
  }),
  step(4, {
    tool_calls: [
      call("c2", "str_replace_editor", { path: "src/cart.ts", old_str: "a", new_str: "b" }),
      call("c3", "write_file", { file_path: "/app/new.ts", content: "export {};\n" }),
    ],
    observation: {
      results: [
        { source_call_id: "c2", content: "edited" },
        { source_call_id: "c3", content: "no space", extra: { is_error: true } },
      ],
    },
  }),
  step(5, { source: "user", message: "as before", is_copied_context: true, model_name: undefined }),
  step(6, { message: "Done." }),
];
const trajectory = (upTo = steps.length, more = {}) => ({
  schema_version: "ATIF-v1.7",
  session_id: "025B810F",
  agent: { name: "harbor-agent", version: "1.0.0", model_name: "gemini-2.5-flash" },
  steps: steps.slice(0, upTo),
  extra: { cwd: "/app" },
  ...more,
});
const text = (...args: Parameters<typeof trajectory>) => JSON.stringify(trajectory(...args), null, 2);
const linesIn = (object: object): TranscriptLine[] => parseTrajectory({ ...object })?.lines ?? [];
const entriesIn = (object: object) => linesIn(object).flatMap(({ entries }) => entries);

describeRewritten("A trajectory of ATIF", {
  agent: atif,
  path: "runs/trajectory.json",
  contents: [1, 2, 3, 4, 6].map((upTo) => text(upTo)),
  info: {
    session: "025B810F@atif",
    parent: null,
    cwd: "/app",
    startedAt,
    copyOf: { agent: "harbor-agent", session: "025B810F", lastAt: startedAt + 5000 },
  },
});

describe("a trajectory", () => {
  it("is read with its prompts, calls, files and what they wrote", () => {
    const entries = entriesIn(trajectory());
    expect(entries.slice(0, 5)).toMatchObject([
      { kind: "notice", text: "You are a helpful agent." },
      { kind: "prompt", text: "Fix the cart\n[image]", images: 1 },
      { kind: "thinking", text: "Where is it?" },
      { kind: "text", text: "I look first." },
      { kind: "tool_use", id: "c1", action: "command", input: { command: "grep -rn total src" } },
    ]);
    const uses = entries.filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ files, action }) => [files[0]?.path, files[0]?.how, action])).toEqual([
      [undefined, undefined, "command"],
      ["/app/src/cart.ts", "edit", "write"],
      ["/app/new.ts", "write", "write"],
    ]);
    const results = entries.filter((entry) => entry.kind === "tool_result");
    expect(results.map(({ edits, isError }) => [edits?.[0]?.hunks[0]?.lines, isError])).toEqual([
      [undefined, false],
      [["-a", "+b"], false],
      [undefined, true],
    ]);
    expect(entries.at(-1)).toEqual({ kind: "text", text: "Done." });
    const [usage] = linesIn(trajectory()).flatMap(({ usage }) => usage ?? []);
    expect(usage).toMatchObject({ model: "gemini-2.5-flash", input: 40, cacheRead: 60, output: 20 });
    expect(parseTrajectory(trajectory())!.skipped).toEqual({ copied: 1 });
  });

  it("cuts a long result, and one that was cut before no more", () => {
    const resultOf = (content: string) => {
      const steps = [step(1, { tool_calls: [call("c", "ls", {})], ...answer("c", content) })];
      const entry = entriesIn({ ...trajectory(), steps }).at(-1)!;
      return entry.kind === "tool_result" ? entry.text : "";
    };
    const once = resultOf("line\n".repeat(5000));
    expect(once.length).toBeLessThan(9000);
    expect(once).toMatch(/^\[\.\.\. \d+ characters left out \.\.\.\]$/m);
    expect(resultOf(once)).toBe(once);
  });

  it("has an id of its own where it names none, and is nothing of another version", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "pommel-atif-")), "a.json");
    writeFileSync(file, text(6, { session_id: undefined, extra: {} }));
    expect(await atif.describe(file)).toMatchObject({
      session: expect.stringMatching(/^[0-9a-f]{32}@atif$/),
      cwd: "",
    });
    for (const other of [text(6, { schema_version: "ATIF-v9.0" }), text(0), "{}", "[]", "null", ""]) {
      writeFileSync(file, other);
      expect(await atif.describe(file)).toBeNull();
    }
  });

  it("never fails, whatever a file holds", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "pommel-atif-")), "a.json");
    const anyStep = fc.record(
      {
        step_id: fc.oneof(fc.nat(3), fc.string()),
        source: fc.constantFrom("agent", "user", "system", "else"),
        message: fc.jsonValue(),
        tool_calls: fc.jsonValue(),
        observation: fc.record({ results: fc.jsonValue() }),
        extra: fc.record({ pommel: fc.jsonValue() }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 4 }), async (steps) => {
        writeFileSync(file, JSON.stringify({ ...trajectory(), steps }));
        await atif.describe(file);
        const { lines } = await readAll(atif, file);
        const uids = lines.map(({ uid }) => uid);
        expect(new Set(uids).size).toBe(uids.length);
      }),
      { numRuns: 60 },
    );
  });
});

const words = fc.stringMatching(/^[a-z][a-z ./]{0,20}[a-z]$/);
const files = fc.array(fc.record({ path: words, how: fc.constantFrom("read", "edit", "write") }), {
  maxLength: 2,
});
const edits = fc.option(
  fc.array(
    fc.record({
      path: words,
      hunks: fc.array(
        fc.record({
          oldStart: fc.nat(9),
          oldLines: fc.nat(9),
          newStart: fc.nat(9),
          newLines: fc.nat(9),
          lines: fc.array(words, { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
      content: fc.option(words),
    }),
    { minLength: 1, maxLength: 2 },
  ),
);
/** What a session may hold, each call with its result somewhere behind it. */
const session = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant("prompt"), text: words, images: fc.nat(2) }),
      fc.record({ kind: fc.constantFrom("notice", "summary", "text", "thinking"), text: words }),
      fc.record({
        kind: fc.constant("compaction"),
        trigger: fc.option(words),
        preTokens: fc.option(fc.nat(1000)),
      }),
      fc.record({
        kind: fc.constant("call"),
        tool: words,
        input: fc.dictionary(fc.constantFrom("command", "note", "n"), fc.oneof(words, fc.nat(9)), {
          noNullPrototype: true,
        }),
        action: fc.constantFrom("write", "read", "delegate", "other"),
        files,
        isError: fc.boolean(),
        edits,
        text: words,
        subagent: fc.option(words),
        isAnswered: fc.boolean(),
      }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) =>
    parts.flatMap((part, i): TranscriptEntry[] => {
      if (part.kind !== "call") return [part as TranscriptEntry];
      const { tool, input, action, files, isError, edits, text, subagent, isAnswered } = part;
      const use: TranscriptEntry = { kind: "tool_use", id: `c${i}`, tool, input, action, files };
      const answer: TranscriptEntry = {
        kind: "tool_result",
        id: `c${i}`,
        text,
        isError,
        edits: isError ? null : edits,
        subagent,
      };
      return isAnswered ? [use, answer] : [use];
    }),
  );

describe("a session that is written and read again", () => {
  it("follows the format, and is the same, in its order and with the times of its steps", () => {
    fc.assert(
      fc.property(session, (entries) => {
        const lines = entries.map((entry, i) => ({
          at: startedAt + i * 1000,
          entries: [entry],
          ...((entry.kind === "text" || entry.kind === "tool_use") && { model: "m" }),
        }));
        const written = buildTrajectory({
          id: "s",
          agent: "claude",
          cwd: "/p",
          branch: "main",
          title: null,
          lines,
        });
        expect(atifTrajectory.safeParse(written).error?.issues ?? []).toEqual([]);
        const copy = JSON.parse(JSON.stringify(written));
        const read = linesIn(copy);
        expect(read.flatMap((line) => line.entries)).toEqual(entries);
        expect(read[0]).toMatchObject({ at: startedAt, cwd: "/p", branch: "main" });
        const answered = read.filter((line) => line.entries[0]?.kind === "tool_result");
        expect(answered.map(({ at }) => at)).toEqual(
          entries.flatMap(({ kind }, i) => (kind === "tool_result" ? [startedAt + i * 1000] : [])),
        );
      }),
    );
  });
});

describe("the rules that an export is held to", () => {
  const plain = { schema_version: "ATIF-v1.7", agent: { name: "a", version: "1" }, steps: [step(1, {})] };
  const child = (trajectory_id?: string) => ({ ...plain, trajectory_id });

  it.each([
    ["totals that the format has", { final_metrics: { total_prompt_tokens: 1, total_steps: 1 } }, true],
    ["others", { final_metrics: { total_tokens: 1 } }, false],
    [
      "tokens of a step",
      { steps: [step(1, { metrics: { prompt_token_ids: [1], logprobs: [-0.5] } })] },
      true,
    ],
    ["tokens of a step without a model", { steps: [step(1, { llm_call_count: 0, metrics: {} })] }, false],
    ["subagents that are told apart", { subagent_trajectories: [child("a"), child("b")] }, true],
    ["subagents with one id", { subagent_trajectories: [child("a"), child("a")] }, false],
    ["subagents without an id", { subagent_trajectories: [child()] }, false],
    ["a subagent against the rules", { subagent_trajectories: [{ ...child("a"), steps: [] }] }, false],
  ])("know %s", (_, more, isRight) => {
    expect(atifTrajectory.safeParse({ ...plain, ...more }).success).toBe(isRight);
  });
});
