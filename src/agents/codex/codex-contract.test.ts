import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { endsOf, readAll } from "../../../test/support/agent-samples.ts";
import { type RolloutOptions, rollout, threadId } from "../../../test/support/rollout-fixture.ts";
import { runs, some } from "../../../test/support/runs.ts";
import { compressed } from "../../../test/support/zstd-frames.ts";
import { codex } from "./codex.ts";

function conversation(options: RolloutOptions) {
  const r = rollout(options);
  r.turn();
  r.prompt("Why does the café's cart lose its total? 🛒");
  r.think("The total is computed twice.");
  r.reply("Let me look.");
  r.bash("cat src/cart.ts", "export const total = 0;");
  r.tokens(1000, 50, 800);
  r.patch("*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-nothing\n+x\n*** End Patch\n", null);
  r.patch(
    "*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-export const total = 0;\n+export let total = 0;\n*** End Patch\n",
    {
      "/home/dev/shop/src/cart.ts": {
        type: "update",
        unified_diff: "@@ -1 +1 @@\n-export const total = 0;\n+export let total = 0;\n",
        move_path: null,
      },
    },
  );
  r.bash("pm search total", "src/cart.ts: total");
  r.mcp("memo", "recall", { query: "cart" }, "nothing");
  r.mcp("pommel", "search_code", { query: "cart" }, "src/cart.ts");
  r.bash("npm test", "1 failed", 1);
  r.spawn("counter", "Count the files", threadId("child"));
  r.between("FINAL_ANSWER", "counter", "There are two.");
  r.tokens(2000, 20);
  r.compact("The user asked about the cart's total.");
  r.injected("what a hook said");
  r.reply("Done.");
  r.turn({ model: "gpt-6" });
  r.prompt("and add a test for it");
  r.interruption();
  r.turn();
  r.prompt("go on");
  r.reply("Done.");
  return r;
}

const first = conversation({ session: threadId("first") });
const legacy = conversation({ session: threadId("legacy"), format: "legacy" });
const code = conversation({
  session: threadId("code"),
  format: "code",
  meta: { originator: "codex-tui", source: "vscode" },
});
const forked = rollout({ session: threadId("fork"), meta: { forked_from_id: first.session } });
forked.turn();
forked.prompt("And in the other branch?");
forked.reply("It is the same there.");
const child = rollout({
  session: threadId("child"),
  format: "code",
  meta: {
    session_id: first.session,
    parent_thread_id: first.session,
    source: {
      subagent: { thread_spawn: { parent_thread_id: first.session, depth: 1, agent_path: "/root/counter" } },
    },
  },
});
child.turn();
child.between("NEW_TASK", "counter", null);
child.bash("ls src", "cart.ts");
child.reply("There are two.");

const startedAt = Date.parse("2026-03-02T09:00:00.000Z");
const cwd = first.cwd;
const own = { parent: null, cwd, startedAt };

const pictureData = `iVBORw0KGgo${"AAAB3NCSVQICAjb4U".repeat(40)}`;
function pictures(): string {
  const url = `data:image/png;base64,${pictureData}`;
  const r = rollout();
  r.prompt(`look at ![this](${url})`, [url, url]);
  r.bash("base64 a.png", pictureData);
  r.tool("view_image", { path: "a.png" }, [{ type: "input_image", image_url: url }]);
  r.mcp("browser", "screenshot", { nested: url }, url);
  r.patch(`*** Begin Patch\n*** Add File: a.html\n+<img src="${url}">\n*** End Patch\n`, {
    "/home/dev/shop/a.html": { type: "add", content: `<img src="${url}">\n` },
    "/home/dev/shop/b.html": {
      type: "update",
      unified_diff: `@@ -1 +1 @@\n-x\n+${pictureData}\n`,
      move_path: null,
    },
  });
  r.reply(`![a](${url})`);
  return r.text();
}

describeAgent("Codex CLI", {
  agent: codex,
  root: (dir) => join(dir, "sessions"),
  scratch: "rollout-x.jsonl",
  env: (root) => ({ CODEX_HOME: dirname(root) }),
  transcripts: [
    {
      path: "2026/03/02/rollout-2026-03-02T09-00-00-a.jsonl",
      text: first.text(),
      info: { session: first.session, ...own },
    },
    {
      path: "2026/03/02/rollout-2026-03-02T09-00-00-b.jsonl",
      text: legacy.text(),
      info: { session: legacy.session, ...own },
    },
    {
      path: "2026/03/03/rollout-2026-03-02T09-00-00-c.jsonl",
      text: code.text(),
      info: { session: code.session, ...own },
    },
    {
      path: "2026/03/03/rollout-2026-03-02T09-00-00-d.jsonl",
      text: forked.text(),
      info: { session: forked.session, ...own, forkedFrom: first.session },
    },
    {
      path: "2026/03/04/rollout-2026-03-02T09-00-00-e.jsonl",
      text: child.text(),
      info: {
        session: child.session,
        cwd,
        startedAt,
        parent: { session: first.session, toolUse: null, agentType: null, task: "counter" },
      },
    },
  ],
  commands: ["npm test", "cat src/cart.ts", "ls src", "pm search total"],
  others: ["2026/03/02/rollout-2026-03-02T09-00-00-a.jsonl.bak", "history.jsonl", "2026/03/02/notes.txt"],
  withPictures: { text: pictures(), picture: pictureData },
  unknownLine: { line: '{"timestamp":"x","type":"mystery","payload":{}}', reason: "type:mystery" },
});

const fixtures = resolve(process.env.POMMEL_SHARED ?? "../shared", "fixtures/codex/rollouts");

describe.skipIf(!existsSync(fixtures))(
  `rollouts of the real client (skipped where ${fixtures} is not there)`,
  () => {
    it.each(existsSync(fixtures) ? readdirSync(fixtures) : [])(
      "%s is understood, all of it",
      async (folder) => {
        let files = 0;
        for await (const { path } of codex.list(join(fixtures, folder))) {
          files++;
          const info = await codex.describe(path);
          expect(path).toContain(info?.session);
          const { lines, skipped } = await readAll(codex, path);
          expect(skipped.malformed).toBeUndefined();
          const entries = lines.flatMap((line) => line.entries);
          expect(entries.some(({ kind }) => kind === "prompt")).toBe(true);
          const text = JSON.stringify(entries);
          for (const never of [
            "AGENTS.md",
            "environment_context",
            "turn_aborted",
            "MEMSS",
            "MEMUPS",
            "MEMPRE",
            "MEMPOST",
          ])
            expect(text).not.toContain(never);
          const uses = entries.filter((entry) => entry.kind === "tool_use").map(({ id }) => id);
          expect(new Set(uses).size).toBe(uses.length);
          const results = entries.filter((entry) => entry.kind === "tool_result").map(({ id }) => id);
          expect(new Set(results).size).toBe(results.length);
          // Calls that were interrupted have no result.
          if (!folder.includes("killed")) expect(results.toSorted()).toEqual(uses.toSorted());
        }
        expect(files).toBeGreaterThan(0);
      },
    );

    it("keeps line ids across `codex migrate-rollouts`", async () => {
      const [before, after] = await Promise.all(
        ["0.125.0-edit", "0.125.0-resumed-migrated-by-0.169.0"].map(async (folder) => {
          for await (const { path } of codex.list(join(fixtures, folder))) return readAll(codex, path);
          throw new Error("nothing there");
        }),
      );
      const known = before!.lines.map(({ uid }) => uid);
      expect(after!.lines.map(({ uid }) => uid).slice(0, known.length)).toEqual(known);
      const more = after!.lines.slice(known.length).flatMap(({ entries }) => entries);
      expect(
        more.map((entry) => (entry.kind === "prompt" || entry.kind === "text" ? entry.text : "")),
      ).toEqual(["continue legacy", "You asked me to fix add."]);
    });
  },
);

it("resumes from the end of a line without cached state", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-recall-"));
  for (const { session, text } of [first, legacy, code]) {
    const bytes = Buffer.from(text());
    const file = join(dir, `${session}.jsonl`);
    writeFileSync(file, bytes);
    const whole = await readAll(codex, file);
    for (const end of some(endsOf(bytes))) {
      const part = join(dir, `${session}-${end}.jsonl`);
      writeFileSync(part, bytes.subarray(0, end));
      const before = await readAll(codex, part);
      // Another path, so the cached state does not apply.
      const grown = join(dir, `${session}-${end}-grown.jsonl`);
      writeFileSync(grown, bytes);
      const after = await readAll(codex, grown, before.cursor);
      expect([...before.lines, ...after.lines]).toEqual(whole.lines);
    }
  }
});

describe("compressed rollouts", () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-zst-"));
  const plain = join(dir, "rollout-1.jsonl");
  const zst = join(dir, "rollout-2.jsonl.zst");

  it("are listed where the plain files are missing", async () => {
    const many = mkdtempSync(join(tmpdir(), "pommel-zst-"));
    for (const name of ["rollout-1.jsonl", "rollout-1.jsonl.zst", "rollout-2.jsonl.zst", "x.jsonl.zst"])
      writeFileSync(join(many, name), "");
    const found: string[] = [];
    for await (const { path } of codex.list(many)) found.push(basename(path));
    expect(found).toEqual(["rollout-1.jsonl", "rollout-2.jsonl.zst"]);
  });

  it("are read as the plain ones are, with the same line ids", async () => {
    const turn = fc.constantFrom("prompt", "reply", "bash", "patch", "spawn", "compact", "raw");
    const written = fc.tuple(
      fc.constantFrom("legacy", "paginated", "code"),
      fc.array(turn, { maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(written, fc.string(), async ([format, turns], said) => {
        const r = rollout({ format: format as "legacy" });
        for (const kind of turns) {
          if (kind === "prompt") r.prompt(said);
          else if (kind === "reply") r.reply(said);
          else if (kind === "bash") r.bash("npm test", said);
          else if (kind === "patch") r.patch("*** Begin Patch\n*** Delete File: a\n*** End Patch\n", null);
          else if (kind === "spawn") r.spawn("counter", said, threadId("child"));
          else if (kind === "compact") r.compact(said);
          else r.raw(said);
        }
        writeFileSync(plain, r.text());
        writeFileSync(zst, compressed(r.text()));
        const [one, other] = [await readAll(codex, plain), await readAll(codex, zst)];
        expect([other.lines, other.skipped]).toEqual([one.lines, one.skipped]);
        expect(await codex.describe(zst)).toEqual(await codex.describe(plain));
      }),
      { numRuns: runs(12) },
    );
  });

  it("are read once, to a cursor that holds their size", async () => {
    const bytes = compressed(first.text());
    writeFileSync(zst, bytes);
    const { cursor } = await readAll(codex, zst);
    expect(cursor?.offset).toBe(bytes.length);
    expect(await readAll(codex, zst, cursor)).toEqual({ lines: [], skipped: {}, cursor });
    writeFileSync(zst, compressed(code.text()));
    await expect(readAll(codex, zst, cursor)).rejects.toMatchObject({ code: "transcript_changed" });
  });

  it("are read from the start after an interruption", async () => {
    writeFileSync(zst, compressed(first.text()));
    for await (const { cursor, lines } of codex.read(zst, null)) {
      expect(lines.length).toBeGreaterThan(0);
      expect((await readAll(codex, zst, cursor)).lines.length).toBeGreaterThanOrEqual(lines.length);
      break;
    }
  });

  it("keep what stands before a damage, which counts as one malformed line", async () => {
    const filler = Array.from(
      { length: 3000 },
      (_, i) => `${JSON.stringify({ type: "token_usage_record", i })}\n`,
    );
    const frame = compressed(first.text() + filler.join(""), ["-1"]);
    writeFileSync(zst, frame.subarray(0, frame.length - 20));
    const read = await readAll(codex, zst);
    writeFileSync(plain, first.text());
    expect(read.lines).toEqual((await readAll(codex, plain)).lines);
    expect(read.skipped.malformed).toBe(1);
    expect(read.cursor?.offset).toBe(frame.length - 20);
    writeFileSync(zst, frame.subarray(0, 40));
    expect(await codex.describe(zst)).toBeNull();
  });
});
