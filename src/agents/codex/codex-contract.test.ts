import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describeAgent } from "../../../test/support/agent-contract.ts";
import { readAll } from "../../../test/support/agent-samples.ts";
import { type RolloutOptions, rollout, threadId } from "../../../test/support/rollout-fixture.ts";
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
  others: ["2026/03/02/rollout-2026-03-02T09-00-00-a.jsonl.zst", "history.jsonl", "2026/03/02/notes.txt"],
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
        const sealed: unknown[] = [];
        for await (const one of codex.sealed!.list(join(fixtures, folder))) sealed.push(one);
        expect(files + sealed.length).toBeGreaterThan(0);
        expect(sealed.length).toBe(folder.includes("compressed") ? 1 : 0);
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

it("resumes from the end of every line without cached state", async () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-recall-"));
  for (const { session, text } of [first, legacy, code]) {
    const bytes = Buffer.from(text());
    const file = join(dir, `${session}.jsonl`);
    writeFileSync(file, bytes);
    const whole = await readAll(codex, file);
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
    for (const end of ends) {
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
  it("are listed as sealed when the plain files are missing", async () => {
    const dir = mkdtempSync(join(tmpdir(), "pommel-zst-"));
    for (const name of [`rollout-1-${threadId("a")}.jsonl`, `rollout-1-${threadId("a")}.jsonl.zst`, "x.zst"])
      writeFileSync(join(dir, name), "");
    writeFileSync(join(dir, `rollout-2-${threadId("b")}.jsonl.zst`), "");
    writeFileSync(join(dir, "rollout-3.jsonl.zst"), "");
    const found: unknown[] = [];
    for await (const one of codex.sealed!.list(dir)) found.push(one);
    expect(found).toEqual([
      { path: join(dir, `rollout-2-${threadId("b")}.jsonl.zst`), session: threadId("b") },
      { path: join(dir, "rollout-3.jsonl.zst"), session: null },
    ]);
  });
});
