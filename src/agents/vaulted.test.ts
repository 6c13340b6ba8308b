import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { idOf, transcript } from "../../test/support/transcript-fixture.ts";
import type { Agent, Cursor } from "./agent.ts";
import { findAgentByName, statTranscript } from "./registry.ts";
import { keepTranscript, makeVaultReader, releaseTranscript } from "./vaulted.ts";

const claude = findAgentByName("claude")!;

let home: ReturnType<typeof temporaryHome>;
let projects: string;
beforeEach(() => {
  home = temporaryHome();
  projects = join(home.dir, "agent", "projects");
});
afterEach(() => home.remove());

async function listed(agent: Agent, dir = projects): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of agent.list(dir)) found.push(path);
  return found;
}

async function linesOf(agent: Agent, path: string, cursor: Cursor | null = null) {
  const uids: (string | null)[] = [];
  let end = cursor;
  for await (const batch of agent.read(path, cursor)) {
    uids.push(...batch.lines.map(({ uid }) => uid));
    end = batch.cursor;
  }
  return { uids, end };
}

it("is listed, described and read by its own path when its client has deleted it", async () => {
  const one = transcript({ session: idOf("one"), cwd: "/home/dev/shop" });
  one.prompt("add a cart");
  const path = one.writeTo(projects);
  keepTranscript(claude, path);
  const before = await linesOf(claude, path);
  expect(await listed(claude)).toEqual([path]);
  const { size } = statTranscript(path)!;
  rmSync(path);
  expect(await listed(claude)).toEqual([path]);
  expect(await listed(claude, path)).toEqual([path]);
  expect(statTranscript(path)).toMatchObject({ path, size });
  expect(await claude.describe(path)).toMatchObject({ session: one.session, cwd: "/home/dev/shop" });
  expect(await linesOf(claude, path)).toEqual(before);
  expect((await linesOf(claude, path, before.end)).uids).toEqual([]);
  releaseTranscript(claude, path);
  expect(await listed(claude)).toEqual([]);
  expect(statTranscript(path)).toBeNull();
  await expect(claude.describe(path)).rejects.toMatchObject({ code: "ENOENT" });
});

it("is read at its own place while it is there, and from the vault only when asked to", async () => {
  const before = transcript({ session: idOf("one") });
  before.prompt("add a cart");
  const path = before.writeTo(projects);
  keepTranscript(claude, path);
  rmSync(path);
  const after = transcript({ session: idOf("two") });
  after.prompt("add a till");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, after.text());
  expect(await claude.describe(path)).toMatchObject({ session: idOf("two") });
  expect(await makeVaultReader(claude).describe(path)).toMatchObject({ session: idOf("one") });
  const own = await linesOf(claude, path);
  const kept = await linesOf(makeVaultReader(claude), path);
  expect([own.uids.length, kept.uids.length]).toEqual([1, 1]);
  expect(kept.uids).not.toEqual(own.uids);
});

it("comes with what is known of a subagent", async () => {
  const sub = transcript({ session: idOf("one"), agentId: "a1" });
  sub.prompt("look for carts");
  const path = join(projects, "-x", idOf("one"), "subagents", "agent-a1.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sub.text());
  const meta = path.replace(".jsonl", ".meta.json");
  writeFileSync(meta, JSON.stringify({ agentType: "Explore", description: "look for carts" }));
  keepTranscript(claude, path);
  const info = await claude.describe(path);
  expect(info?.parent).toMatchObject({ agentType: "Explore", task: "look for carts" });
  rmSync(dirname(path), { recursive: true });
  expect(await claude.describe(path)).toEqual(info);
  releaseTranscript(claude, path);
  expect(statTranscript(meta)).toBeNull();
});

it("keeps what says where Gemini's chats ran for the chats that are left", async () => {
  const gemini = findAgentByName("gemini")!;
  const chats = join(home.dir, ".gemini", "tmp", "shop", "chats");
  mkdirSync(chats, { recursive: true });
  writeFileSync(join(chats, "..", ".project_root"), "/home/dev/shop");
  const paths = ["one", "two"].map((name) => {
    const path = join(chats, `session-2026-03-02T09-00-${name}.jsonl`);
    const metadata = {
      sessionId: idOf(name),
      projectHash: "0".repeat(64),
      startTime: "2026-03-02T09:00:00.000Z",
    };
    writeFileSync(path, `${JSON.stringify(metadata)}\n`);
    keepTranscript(gemini, path);
    return path;
  });
  rmSync(join(home.dir, ".gemini"), { recursive: true });
  releaseTranscript(gemini, paths[0]!);
  expect(await gemini.describe(paths[1]!)).toMatchObject({ session: idOf("two"), cwd: "/home/dev/shop" });
});
