import { appendFileSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { describeDatabase } from "../../../test/support/agent-database-contract.ts";
import { add, type ReadAll, readAll } from "../../../test/support/agent-samples.ts";
import { aiderHistory, block, tokens } from "../../../test/support/aider-fixture.ts";
import { pictureData } from "../../../test/support/chat-fixture.ts";
import type { TranscriptEntry } from "../agent.ts";
import { aider } from "./aider.ts";

let growing: ReturnType<typeof aiderHistory>;
let began = "";
describeDatabase("Aider", {
  agent: aider,
  isSqlite: false,
  begin(dir) {
    growing = aiderHistory(join(dir));
    growing.begin();
    began = growing.path();
    return began;
  },
  steps: [
    () => growing.prompt("Why does the café's importer\ngive up? 🛒"),
    () => growing.answer("It tries once.\n\n# Like this\n> and quoted\n"),
    () => growing.tool(tokens),
    () => growing.prompt("Let it retry."),
    () => growing.answer(`So:\n\n${block("src/heron.ts", "a = 1\n", "a = 3\n")}`),
    () => growing.tool(tokens, "Applied edit to src/heron.ts", "Commit 1a2b3c4 feat: Retry"),
    () => growing.tool("You can use /undo to undo and discard each aider commit."),
  ],
  undo: () => writeFileSync(growing.file, readFileSync(growing.file, "utf8").replace("tries", "tried")),
  get info() {
    return {
      session: expect.stringMatching(/^20260302T090000-[0-9a-f]{8}$/) as unknown as string,
      parent: null,
      cwd: expect.any(String) as unknown as string,
      startedAt: new Date(2026, 2, 2, 9).getTime(),
    };
  },
});

describe("A chat of Aider", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "pommel-aider-"));
  });

  async function entriesOf(
    h: { path: (name?: string) => string },
    name?: string,
  ): Promise<TranscriptEntry[]> {
    return (await readAll(aider, h.path(name))).lines.flatMap(({ entries }) => entries);
  }
  const editsOf = async (h: { path: () => string }) =>
    (await entriesOf(h)).flatMap((entry) => (entry.kind === "tool_result" ? [entry.edits] : []));

  it("is one of several in the history of a repository, and stays as it was when another begins", async () => {
    const h = aiderHistory(dir);
    h.begin();
    h.prompt("Why?");
    h.answer("Because.");
    h.tool(tokens);
    const size = aider.database!.stat(h.path())!.size;
    const before = await readAll(aider, h.path());
    h.begin("2026-03-02 10:00:00");
    h.begin("2026-03-02 10:00:00");
    const found = [];
    for await (const { path } of aider.list(dir)) found.push(path);
    expect(found).toEqual(["20260302T090000", "20260302T100000", "20260302T100000-2"].map(h.path));
    const ended = { path: h.path(), size, mtimeMs: new Date(2026, 2, 2, 10).getTime() };
    expect(aider.database!.stat(h.path())).toEqual(ended);
    expect(await readAll(aider, h.path(), before.cursor)).toMatchObject({ lines: [] });
    expect((await aider.describe(h.path()))?.cwd).toBe(dir);
    expect(aider.listRepositoryPlaces!(dir)).toEqual([h.file]);
    expect(aider.listRoots()).toEqual([]);
  });

  it("has prompts with their times, and commands as notices", async () => {
    const h = aiderHistory(dir);
    h.input("2026-03-02 08:59:00.000001", "Why?");
    h.begin();
    h.input("2026-03-02 09:00:07.250000", "/add a.ts");
    h.input("2026-03-02 09:00:09.500000", "Why?\nAnd now?");
    h.prompt("/add a.ts");
    h.tool("Added a.ts to the chat");
    h.prompt("Why?\nAnd now?");
    h.answer("Because.");
    h.prompt("/ask What is it?");
    h.prompt("<blank>");
    h.tool("");
    const { lines } = await readAll(aider, h.path());
    expect(lines.flatMap(({ entries }) => entries)).toEqual([
      { kind: "notice", text: "/add a.ts" },
      { kind: "notice", text: "Added a.ts to the chat" },
      { kind: "prompt", text: "Why?\nAnd now?", images: 0 },
      { kind: "text", text: "Because." },
      { kind: "prompt", text: "/ask What is it?", images: 0 },
    ]);
    const start = new Date(2026, 2, 2, 9).getTime();
    expect(lines.map(({ at }) => at! - start)).toEqual([7250, 7250, 9500, 9500, 9500]);
  });

  it("has edits that were applied, in every form that the client takes", async () => {
    const h = aiderHistory(dir);
    h.begin();
    h.prompt("Let it retry.");
    h.answer(
      [
        block("src/heron.ts", "a = 1\n", "a = 3\n"),
        block("`src/other.ts`:", "x\n", "y\n"),
        "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE",
        block("src/refused.ts", "no\n", "yes\n"),
      ].join("\n\n"),
    );
    h.tool(tokens, "Applied edit to src/heron.ts", "Applied edit to src/other.ts");
    h.prompt("As a diff.");
    h.answer("```diff\n--- a/src/heron.ts\n+++ b/src/heron.ts\n@@ ... @@\n same\n-a = 3\n+a = 5\n```");
    h.tool("Applied edit to src/heron.ts");
    h.prompt("As a whole.");
    h.answer("new.ts\n```ts\nnew();\n```");
    h.tool("Applied edit to new.ts", "Applied edit to unknown.ts");
    const edits = await editsOf(h);
    expect(edits).toMatchObject([
      [{ path: join(dir, "src/heron.ts"), hunks: [{ oldStart: 0, lines: ["-a = 1", "+a = 3"] }] }],
      [{ hunks: [{ lines: ["-x", "+y"] }, { lines: ["-b", "+c"] }] }],
      [{ hunks: [{ oldLines: 2, newLines: 2, lines: [" same", "-a = 3", "+a = 5"] }] }],
      [{ path: join(dir, "new.ts"), hunks: [], content: "new();\n" }],
      null,
    ]);
    const uses = (await entriesOf(h)).filter((entry) => entry.kind === "tool_use");
    expect(uses.map(({ action, files }) => [action, files.length])).toEqual(Array(5).fill(["write", 1]));
  });

  it("has commands, the model and its tokens as the client rounds them", async () => {
    const h = aiderHistory(dir);
    h.begin();
    h.prompt("Test it.");
    h.answer("Run them.");
    h.tool(
      "Tokens: 12k sent, 1.5k cache write, 2.0k cache hit, 340 received. Cost: $0.01 message, $0.01 session.",
    );
    h.tool("Running npm test");
    const { lines } = await readAll(aider, h.path());
    const usage = lines.flatMap((line) => line.usage ?? []);
    expect(usage).toMatchObject([
      { model: "gpt-4o", input: 12000, output: 340, cacheRead: 2000, cacheWrite: 1500 },
    ]);
    expect(lines.at(-1)).toMatchObject({
      model: "gpt-4o",
      entries: [{ kind: "tool_use", tool: "run", action: "command", input: { command: "npm test" } }],
    });
  });

  it("has the last text once the client printed something behind it, or was silent for a minute", async () => {
    const h = aiderHistory(dir);
    h.begin();
    h.prompt("Why?");
    h.answer("Because.");
    const { cursor, lines } = await readAll(aider, h.path());
    expect(lines.map(({ entries }) => entries[0]!.kind)).toEqual(["prompt"]);
    const earlier = (Date.now() - 120_000) / 1000;
    utimesSync(h.file, earlier, earlier);
    const rest = await readAll(aider, h.path(), cursor);
    expect(rest.lines.flatMap(({ entries }) => entries)).toEqual([{ kind: "text", text: "Because." }]);
    expect(rest.cursor?.offset).toBe(aider.database!.stat(h.path())!.size);
  });

  it("is the same with carriage returns, and keeps no picture and nothing of Pommel's", async () => {
    const all: TranscriptEntry[][] = [];
    for (const eol of ["\n", "\r\n"]) {
      const h = aiderHistory(join(dir, eol === "\n" ? "lf" : "crlf"), eol);
      h.begin();
      h.prompt("Why?");
      h.answer(`See ![](data:image/png;base64,${pictureData})\n<pommel-context>known</pommel-context>`);
      h.tool(tokens);
      all.push(await entriesOf(h));
    }
    expect(all[0]).toEqual(all[1]);
    expect(JSON.stringify(all)).not.toMatch(/known|AAAB3NCSVQ/);
  });

  it("never throws, and reads the same in one go and in pieces, whatever a history contains", async () => {
    const lines = [
      "# aider chat started at 2026-03-02 09:00:00",
      "#### x  ",
      "> y  ",
      "z",
      "",
      "> Applied edit to a  ",
      "a",
      "```",
      "<<<<<<< SEARCH",
      "=======",
      ">>>>>>> REPLACE",
      "+++ b/a",
      "```diff",
      "@@",
      "é\0",
    ];
    const text = fc.array(fc.constantFrom(...lines), { maxLength: 30 }).map((all) => all.join("\n"));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.string()), fc.nat(400), async (written, cut) => {
        const h = aiderHistory(mkdtempSync(join(dir, "any-")));
        h.begin();
        const bytes = Buffer.from(`${written}\n> end  \n`);
        appendFileSync(h.file, bytes.subarray(0, cut));
        const all: ReadAll = { lines: [], skipped: {}, cursor: null };
        add(all, await readAll(aider, h.path(), null));
        const half = all.cursor;
        appendFileSync(h.file, bytes.subarray(cut));
        const found: string[] = [];
        for await (const { path } of aider.list(h.file)) found.push(path);
        // A heading that was torn may begin another chat.
        if (found.length === 1) {
          add(all, await readAll(aider, h.path(), half));
          expect(all.lines).toEqual((await readAll(aider, h.path())).lines);
        }
        for (const path of found) await readAll(aider, path);
      }),
      { numRuns: 150 },
    );
  });
});
