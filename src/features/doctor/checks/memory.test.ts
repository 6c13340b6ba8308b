import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { addSession } from "../../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../../test/support/named-project.ts";
import { claude } from "../../../agents/claude/claude.ts";
import type { Project } from "../../../base/paths.ts";
import { Memory } from "../../../store/memory/memory.ts";
import { saveTranscript } from "../../../store/memory/sessions/transcripts.ts";
import { checkTranscripts } from "./memory.ts";

let home: string;
let project: Project;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pommel-transcripts-"));
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-project-")));
});

const check = () => checkTranscripts(project, { HOME: home });

it("says where agents keep conversations", async () => {
  expect(await check()).toMatchObject({ status: "ok", message: "no agent keeps transcripts here yet" });
  mkdirSync(join(home, ".codex/sessions"), { recursive: true });
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  const { status, message } = await check();
  expect(status).toBe("ok");
  expect(message).toBe(
    `transcripts of Claude Code in ${home}/.claude/projects, Codex CLI in ${home}/.codex/sessions`,
  );
});

it("says how many lines were not understood, and of which kinds", async () => {
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const read = { agent: "claude", sessionId: null, offset: 0, lineHash: "", size: 0, readAt: 0 };
  const quiet = { meta: 4, "type:progress": 9 };
  saveTranscript(memory, { ...read, path: "/a", skipped: quiet });
  memory.close();
  expect((await check()).message).not.toContain("left out");
  const again = Memory.open(project.memoryDb, { readonly: false });
  saveTranscript(again, {
    ...read,
    path: "/b",
    skipped: { ...quiet, "type:hologram": 2, "type:?": 3, malformed: 1 },
  });
  again.close();
  expect(await check()).toMatchObject({
    status: "warn",
    message: expect.stringContaining(
      "skipped in Claude Code's: 5 lines of unknown kinds (?, hologram) and 1 damaged",
    ),
  });
});

it("names damaged lines by session and line, and what was saved of them", async () => {
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  const path = join(home, ".claude/projects/s.jsonl");
  const line = (uuid: string) =>
    JSON.stringify({ type: "user", uuid, sessionId: "s", message: { content: uuid } });
  const lines = [line("a"), line("b") + line("c"), `${line("d").slice(0, 30)}${line("e")}`, line("f"), "}"];
  writeFileSync(path, `${lines.join("\n")}\n`);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const { id: sessionId } = addSession(memory, "s");
  for await (const { cursor, skipped, damaged } of claude.read(path, null))
    saveTranscript(memory, {
      path,
      agent: "claude",
      sessionId,
      ...cursor,
      size: 0,
      readAt: 0,
      skipped,
      damaged,
    });
  memory.close();
  const { status, message } = await check();
  expect(status).toBe("warn");
  for (const said of [
    `session s, line 2 of ${path} (2 records saved, none lost)`,
    `session s, line 3 of ${path} (1 record saved, the rest lost)`,
    `session s, line 5 of ${path} (nothing saved)`,
  ])
    expect(message).toContain(said);
  expect(message).not.toContain("line 4");
});

it("leaves a damaged memory to the check of that", async () => {
  mkdirSync(join(home, ".claude/projects"), { recursive: true });
  writeFileSync(project.memoryDb, "junk ".repeat(1000));
  expect(await check()).toMatchObject({ status: "ok" });
});
