import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import type { ImportFollowed } from "../../src/features/import/import.ts";
import { registerSession } from "../../src/features/import/operation.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import { chat, idOf } from "../support/chat-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { ask, sessionsFound } from "./sessions-fixture.ts";

/** Conversations with Gemini CLI, from its files to what is found. */

const home = join(process.env.HOME!, ".gemini");
const tmp = join(home, "tmp");
let project: Project;

beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
});
afterEach(async () => {
  await cleanUp();
  rmSync(home, { recursive: true, force: true });
});

function about(name: string, thing: string) {
  const c = chat({ session: idOf(name), cwd: project.root, start: new Date().toISOString() });
  c.begin();
  c.prompt(`Why does the ${thing} fail at night?`);
  c.edit(join(project.root, "src/retry.ts"), "const attempts = 3;\n", `const attempts = 5; // ${thing}\n`);
  c.reply(`The ${thing} failed because the timeout was too short; I raised it.`);
  return c;
}

const untilFound = (words: string, session: string) =>
  until(async () => (await sessionsFound(project, words))[0] === session);

test("a chat is found while it goes on, and stays when the client rewrites and deletes it", async () => {
  await start(project);
  const c = about("flamingo", "flamingo");
  const begun = { session_id: c.session, cwd: project.root };
  expect(await callDaemon(project.root, registerSession, { ...begun, agent: "gemini" })).toEqual({
    registered: true,
  });
  await expect(callDaemon(project.root, registerSession, { ...begun, agent: "emacs" })).rejects.toMatchObject(
    {
      code: "usage",
    },
  );
  const unnamed = { ...begun, session_id: "", agent: "gemini" } as const;
  await expect(callDaemon(project.root, registerSession, unnamed)).rejects.toMatchObject({ code: "usage" });
  const file = c.writeTo(tmp);
  await untilFound("flamingo timeout", c.session);
  const before = c.text().length;
  c.prompt("Now let's rename the pelican.");
  c.reply("The pelican is called albatross from now on.");
  appendFileSync(file, c.text().slice(before));
  await until(async () => (await ask(project, "albatross")).results.some(({ last_turn }) => last_turn === 2));

  // Resumed in the same minute the file holds less than it did; the next start deletes it.
  const less = chat({ session: c.session, cwd: project.root });
  less.begin();
  writeFileSync(file, less.text());
  const other = about("heron", "heron");
  other.writeTo(tmp);
  await untilFound("heron timeout", other.session);
  rmSync(file);
  const third = about("bittern", "bittern");
  third.writeTo(tmp);
  await untilFound("bittern timeout", third.session);

  const [best] = (await ask(project, "why did the flamingo fail", { agent: "gemini" })).results;
  expect(best).toMatchObject({ session_id: c.session, agent: "gemini", files: ["src/retry.ts"] });
  expect((await ask(project, "flamingo", { agent: "claude" })).results).toEqual([]);
  const { dead } = (await callDaemon(project.root, showQueue, {})).sessions;
  expect(dead).toEqual([]);
});

test("pm import gemini imports past sessions, old formats and subagents too", async () => {
  execFileSync("git", ["-C", project.root, "init", "--quiet"]);
  const c = about("flamingo", "flamingo");
  const child = chat({ session: idOf("child"), parent: c.session, cwd: project.root });
  child.begin();
  child.prompt("Count the flamingos in the lagoon");
  child.reply("There are seven.");
  c.writeTo(tmp);
  child.writeTo(tmp);
  const old = about("old", "heron");
  old.writeTo(tmp);
  rmSync(join(tmp, old.path()));
  writeFileSync(join(tmp, old.path("json")), old.object());
  const other = chat({ session: idOf("elsewhere"), cwd: "/home/dev/elsewhere" });
  other.begin();
  other.prompt("Somewhere else");
  const elsewhere = join(tmp, "else", "chats", "session-2026-03-02T09-00-aaaaaaaa.jsonl");
  mkdirSync(dirname(elsewhere), { recursive: true });
  writeFileSync(elsewhere, other.text());

  const dry = await pmJson<{ sessions: number; subagents: number; elsewhere: { sessions: number } }>(
    project,
    "import",
    "gemini",
    "--dry-run",
  );
  expect(dry).toMatchObject({ agent: "gemini", sessions: 2, subagents: 1, elsewhere: { sessions: 1 } });
  const taken = await pmJson<ImportFollowed>(project, "import", "gemini");
  expect(taken).toMatchObject({ sessions: 2, failed: [] });
  const found = await pmJson<TranscriptSearchResponse>(
    project,
    "search",
    "transcripts",
    "heron timeout",
    "--agent",
    "gemini",
  );
  expect(found.results[0]).toMatchObject({ session_id: old.session, agent: "gemini" });
  const again = await pmJson<{ sessions: number; already: { sessions: number } }>(
    project,
    "import",
    "gemini",
  );
  expect(again).toMatchObject({ sessions: 0, already: { sessions: 2 } });
});
