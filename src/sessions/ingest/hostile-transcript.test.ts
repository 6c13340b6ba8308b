import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { aiderHistory } from "../../../test/support/aider-fixture.ts";
import { hostile } from "../../../test/support/hostile-texts.ts";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { transcript } from "../../../test/support/transcript-fixture.ts";
import type { Agent } from "../../agents/agent.ts";
import { findAgentByName } from "../../agents/registry.ts";
import { getErrorCode } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { isValidAs } from "../../protocol/outside.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage } from "../../store/memory/sessions/usage.ts";
import { buildKindRules } from "../chunks/kinds.ts";
import { ingestTranscript } from "./ingest.ts";

const [claude, aider] = [findAgentByName("claude")!, findAgentByName("aider")!];

let dir: string;
let kept: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-hostile-"));
  kept = temporaryMemory();
});
afterEach(() => {
  kept.remove();
  rmSync(dir, { recursive: true, force: true });
});

function read(lines: readonly string[]) {
  const file = join(dir, "3f0a1b2c-0000-4000-8000-000000000000.jsonl");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return ingest(claude, file);
}

function ingest(agent: Agent, file: string) {
  return ingestTranscript(
    {
      memory: kept.memory,
      agent,
      embedder: null,
      ledgerKey: Buffer.alloc(32, 7),
      scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
      chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks: 0,
      root: "/home/dev/shop",
      worktrees: [],
      log: silentLog,
    },
    file,
  );
}

const linesOf = (session: string) => {
  const t = transcript({ session });
  t.prompt("Add a total");
  t.bash("npm test", "1 passed");
  t.reply("Done.");
  return t.text().trimEnd().split("\n");
};

it.each(hostile)("an id that is %s is a session of its own, or refused by name", async (_, id) => {
  const outcome = await read(linesOf(id)).catch((error: unknown) => getErrorCode(error));
  const stored = listSessions(kept.memory, { children: true }).map(({ uid }) => uid);
  if (isValidAs("session", id)) expect(stored).toEqual([id]);
  else {
    expect(outcome).toBe("transcript_refused");
    expect(stored).toEqual([]);
  }
  expect(readdirSync(dir)).toEqual(["3f0a1b2c-0000-4000-8000-000000000000.jsonl"]);
  expect(readdirSync(kept.dir).every((name) => name.startsWith("memory.db"))).toBe(true);
});

it("keys of prototypes change none", async () => {
  const lines = linesOf("s").map((line) =>
    line.replace(/^\{/, '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},'),
  );
  const tool = lines.findIndex((line) => line.includes("tool_use"));
  lines[tool] = lines[tool]!.replace('"input":{', '"input":{"__proto__":{"polluted":1},');
  expect((await read(lines)).lines).toBeGreaterThan(0);
  expect("polluted" in {}).toBe(false);
});

it("ids that differ in halves of characters, or in what follows a NUL, are read", async () => {
  const lines = linesOf("s").flatMap((line) =>
    ["\\ud800", "\\ud801", "\\udfff", "\\u0000a", "\\u0000b"].map((end) =>
      line.replace(/"uuid":"[^"]+"/, `"uuid":"odd${end}"`),
    ),
  );
  await expect(read(lines)).resolves.toMatchObject({ session: "s" });
});

it("counts that are no whole numbers are none", async () => {
  const lines = linesOf("s").map((line) => line.replace(/"input_tokens":\d+/g, '"input_tokens":1.5e300'));
  await expect(read(lines)).resolves.toMatchObject({ session: "s" });
});

it.each([
  ["9".repeat(400), "300", { input: 1e12, output: 300 }],
  [".", "..", { input: 0, output: 0 }],
])("tokens that a client prints as %s and %s are stored as counts", async (sent, received, expected) => {
  const h = aiderHistory(dir);
  h.begin();
  h.prompt("Add a total");
  h.answer("Done.");
  h.tool(`Tokens: ${sent} sent, ${received} received. Cost: $0.01 message.`);
  await ingest(aider, h.path());
  const [stored] = listSessions(kept.memory, {});
  expect(sumSessionUsage(kept.memory, stored!.id)).toMatchObject([expected]);
});

it("a field of megabytes is stored short, and deep JSON does not end the reading", async () => {
  const t = transcript({ session: "s" });
  t.prompt("Print it");
  t.bash("cat big", "x".repeat(5_000_000));
  t.reply("Done.");
  const deep = `{"type":"user","a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const { session } = await read([deep, ...t.text().trimEnd().split("\n")]);
  expect(session).toBe("s");
  const [stored] = listSessions(kept.memory, {});
  expect(listTurns(kept.memory, stored!.id)).toHaveLength(1);
  expect(readFileSync(join(kept.dir, "memory.db")).length).toBeLessThan(3_000_000);
});

it.each([
  ["that are missing", ["gone", "gone", "gone"]],
  ["that form a ring", ["odd-3", "odd-1", "odd-2"]],
  ["that are themselves", ["odd-1", "odd-2", "odd-3"]],
])("lines with parents %s are read, each once", async (_, parents) => {
  const prompts = parents.map((parentUuid, i) => {
    const t = transcript({ session: "s" });
    t.prompt(`Prompt ${i + 1} of three`);
    const line = JSON.parse(t.text().trimEnd()) as Record<string, unknown>;
    return JSON.stringify({ ...line, uuid: `odd-${i + 1}`, parentUuid });
  });
  await read(prompts);
  const [stored] = listSessions(kept.memory, {});
  expect(listTurns(kept.memory, stored!.id).map(({ prompt }) => prompt)).toEqual(
    parents.map((_, i) => `Prompt ${i + 1} of three`),
  );
});
