import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { ImportFollowed } from "../../src/features/import/import.ts";
import type { SessionsResponse } from "../../src/features/sessions/operation.ts";
import type { WhyAnswer } from "../../src/features/why/operation.ts";
import { aiderHistory, block, tokens } from "../support/aider-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { ask, sessionsFound } from "./sessions-fixture.ts";

/** Chats with Aider, from the history in the repository to what is found. */

let project: Project;
let h: ReturnType<typeof aiderHistory>;
beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n", ".gitignore": ".aider*\n" });
  h = aiderHistory(project.root);
});
afterEach(cleanUp);

const two = (n: number) => String(n).padStart(2, "0");
const local = (date: Date) =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

function about(thing: string, begun = new Date()) {
  h.begin(local(begun));
  h.input(local(begun), `Why does the ${thing} fail at night?`);
  h.prompt(`Why does the ${thing} fail at night?`);
  h.answer(
    `The ${thing} timeout was too short.\n\n${block("src/retry.ts", "export const attempts = 3;\n", "export const attempts = 5;\n")}`,
  );
  h.tool(tokens, "Applied edit to src/retry.ts");
}

test("a chat is found while it goes on, also where the history begins later", async () => {
  await start(project);
  about("flamingo");
  await until(async () => (await sessionsFound(project, "flamingo timeout")).length > 0);
  h.prompt("Now let's rename the pelican.");
  h.answer("The pelican is called albatross from now on.");
  h.tool(tokens);
  await until(async () => (await ask(project, "albatross")).results.some(({ last_turn }) => last_turn === 2));
  const [best] = (await ask(project, "why did the flamingo fail", { agent: "aider" })).results;
  expect(best).toMatchObject({ agent: "aider", files: ["src/retry.ts"] });
});

test("pm import aider imports past chats, once, and pm why knows what they wrote", async () => {
  let dated = {};
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", project.root, ...args], { env: { ...process.env, ...dated } });
  git("init", "--quiet");
  for (const [name, value] of [
    ["user.name", "Ann (aider)"],
    ["user.email", "ann@example.invalid"],
  ] as const)
    git("config", name, value);
  git("add", "--all");
  const begun = new Date(Date.now() - 3600_000).toISOString();
  dated = { GIT_COMMITTER_DATE: begun, GIT_AUTHOR_DATE: begun };
  git("commit", "--quiet", "--message", "Begin");
  dated = {};
  about("flamingo", new Date(Date.now() - 60_000));
  writeFileSync(join(project.root, "src/retry.ts"), "export const attempts = 5;\n");
  git("commit", "--quiet", "--all", "--message", "fix: Retry more often");

  const dry = await pmJson(project, "import", "aider", "--dry-run");
  expect(dry).toMatchObject({ agent: "aider", sessions: 1 });
  expect(await pmJson<ImportFollowed>(project, "import", "aider")).toMatchObject({ sessions: 1, failed: [] });
  expect(await pmJson<ImportFollowed>(project, "import", "aider")).toMatchObject({ sessions: 0 });
  const { sessions } = await pmJson<SessionsResponse>(project, "session", "list");
  expect(sessions).toMatchObject([{ agent: "aider", tokens: { input: 3200, output: 300 } }]);
  await start(project);
  await until(async () => {
    const { origins } = await pmJson<WhyAnswer>(project, "why", "src/retry.ts:1");
    const { agent, session_id } = origins[0]!.written_by;
    return agent === "aider" && session_id === sessions[0]!.id;
  });
});
