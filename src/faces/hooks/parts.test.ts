import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { toldProject } from "../../../test/support/told-project.ts";
import { claudeProfile } from "../../agents/claude/profile.ts";
import { locateDaemonFiles } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { writeReadyPart } from "../../protocol/ready-context.ts";
import { answerCall, hearPrompt } from "./parts.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
beforeEach(() => {
  home = temporaryHome();
  project = toldProject(join(home.dir, "shop"));
});
afterEach(() => home.remove());

const makeReady = (mode: string) => {
  const check = { kind: "command", words: ["git", "push"] };
  const rule = { id: "aaaa", text: "never push", times: 3, sessions: 2, mode, check };
  writeReadyPart("rules", { root: project.root, rules: [rule] } as { root: string });
};
const before = (command = "git push", session_id = "new", place = project.root) =>
  answerCall(
    place,
    claudeProfile.hooks,
    "pre-tool-use",
    { tool_input: { command } },
    {
      session_id,
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      cwd: place,
    },
  );
const spooled = () =>
  existsSync(locateDaemonFiles().spoolDir) ? readdirSync(locateDaemonFiles().spoolDir) : [];

it("nothing is said where nothing is ready, nor of another call", async () => {
  expect(await before()).toBeNull();
  makeReady("deny");
  expect(await before("git pull")).toBeNull();
  expect(await before("git push", "new", home.dir)).toBeNull();
  expect(spooled()).toEqual([]);
});

it("a call is denied, or left to the person, with the person's own words, each time", async () => {
  for (const mode of ["deny", "ask"]) {
    makeReady(mode);
    for (let i = 0; i < 2; i++)
      expect(await before()).toMatchObject({
        hookSpecificOutput: {
          permissionDecision: mode,
          permissionDecisionReason: expect.stringContaining("3 times in 2 sessions: “never push”") as string,
        },
      });
  }
});

it("a reminder is said once in a session, and written down", async () => {
  makeReady("remind");
  const said = await before("cd x && git push -u origin y");
  expect(said).toMatchObject({ hookSpecificOutput: { hookEventName: "PreToolUse" } });
  expect(said).not.toHaveProperty("hookSpecificOutput.permissionDecision");
  expect(said).toHaveProperty(
    "hookSpecificOutput.additionalContext",
    expect.stringMatching(/^<pommel-context>\n- The user's rule, .*\n<\/pommel-context>$/),
  );
  expect(await before()).toBeNull();
  expect(await before("git push", "other")).not.toBeNull();
  const [name = ""] = spooled();
  const item: unknown = JSON.parse(readFileSync(join(locateDaemonFiles().spoolDir, name), "utf8"));
  expect(item).toMatchObject({
    kind: "given-context",
    event: "pre-tool-use",
    call_id: "toolu_1",
    items: [{ ref: "rule:aaaa" }],
  });
  expect(item).not.toHaveProperty("decision");
});

it("what a prompt asked for is allowed until the next", async () => {
  makeReady("deny");
  const prompt = (text: string) =>
    hearPrompt(project.root, "user-prompt", { prompt: text }, { session_id: "new" });
  await prompt("fix it and push");
  expect(await before()).toBeNull();
  await prompt("thanks, now the docs");
  expect(await before()).not.toBeNull();
});

it("a reminder that cannot be written down is not said; what is denied is denied all the same", async () => {
  mkdirSync(join(locateDaemonFiles().spoolDir, ".."), { recursive: true });
  writeFileSync(locateDaemonFiles().spoolDir, "in the way");
  makeReady("remind");
  expect(await before()).toBeNull();
  makeReady("deny");
  expect(await before()).not.toBeNull();
});

it("nothing is said where Pommel was stopped", async () => {
  makeReady("deny");
  mkdirSync(locateDaemonFiles().autostartDir, { recursive: true });
  writeFileSync(join(locateDaemonFiles().autostartDir, "stopped"), "");
  expect(await before()).toBeNull();
});
