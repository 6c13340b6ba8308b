import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Injected } from "../../../src/features/context/operation.ts";
import type { NotesResponse } from "../../../src/features/notes/operation.ts";
import type { SessionsResponse } from "../../../src/features/sessions/operation.ts";
import type { WhyAnswer } from "../../../src/features/why/operation.ts";
import {
  type Beginning,
  beginWith,
  describeClient,
  filesWith,
  injectEagerly,
  itFollowedItsScripts,
  itSpooled,
  memoryOf,
  wasGivenContext,
} from "../suite.ts";
import { note, prompts } from "./scripts.ts";
import { type CopilotStage, filesBefore, setCopilotStage } from "./stage.ts";

/** The real GitHub Copilot CLI with Pommel, from its hooks to search. */

describeClient("GitHub Copilot CLI", "sessions", (bin) => {
  let stage: CopilotStage;
  const ids = { edit: "", write: "", again: "", delegate: "", ask: "" };
  let beginning: Beginning;

  const { show, search } = memoryOf(() => stage);

  beforeAll(async () => {
    stage = await setCopilotStage(bin);
    const { pm, say, settled } = stage;
    await pm("init", "--agent", "claude,copilot", "--mcp", "--instructions", "--team");
    await injectEagerly(stage);
    beginning = await beginWith(stage, prompts.edit);
    ids.edit = beginning.edit;
    ids.again = await say(prompts.again);
    ids.write = await say(prompts.write);
    await settled();
    await say(prompts.resume, ids.write);
    ids.delegate = await say(prompts.delegate);
    await settled();
    ids.ask = await say(prompts.ask);
    await settled();
  }, 400_000);

  afterAll(() => stage?.close(), 60_000);

  itFollowedItsScripts(() => stage);

  it("runs every hook, without a word and without a failure", () => {
    const run = stage.hooksRun().filter(({ hook }) => !hook.startsWith("git-"));
    const ours = ["session-start", "user-prompt", "post-tool-use", "stop", "session-end"];
    expect(run.map(({ hook }) => hook)).toEqual(expect.arrayContaining(ours));
    expect(run.filter(({ code }) => code !== "0")).toEqual([]);
    expect(stage.hooksSaid()).toBe("");
  });

  itSpooled(() => ({ stage, beginning, atLeast: 5 }));

  it("is remembered session by session, each with its branch", async () => {
    const { sessions } = await stage.pm<SessionsResponse>("session", "list");
    expect(sessions.map(({ id }) => id).sort()).toEqual(Object.values(ids).sort());
    for (const session of sessions) {
      expect(session).toMatchObject({ agent: "copilot", cwd: stage.project.root, branch: "importer" });
      expect(session.tokens.output).toBeGreaterThan(0);
    }
    const { sessions: all } = await stage.pm<SessionsResponse>("session", "list", "--agents");
    expect(all).toHaveLength(sessions.length);
  });

  it("is found by its conversation, and its edits by the lines that they wrote", async () => {
    const found = await search(
      "heron importer timeout retry",
      "--file",
      "src/heron.ts",
      "--agent",
      "copilot",
    );
    expect(found.map((result) => result.session_id)).toContain(ids.edit);
    expect((await search("pelican exporter label"))[0]).toMatchObject({ session_id: ids.write });
    const { origins } = await stage.pm<WhyAnswer>("why", "src/heron.ts:1");
    expect(origins[0]!.written_by).toMatchObject({ author: "agent", agent: "copilot", session_id: ids.edit });
    expect(origins[0]!.commit).toMatchObject({ subject: "Retry the import" });
    const tools = { view: 1, edit: 2, bash: 3 };
    expect((await show(ids.edit)).turns).toMatchObject([{ prompt: prompts.edit.replace("\n", " "), tools }]);
    expect((await show(ids.write)).turns.map(({ prompt }) => prompt)).toEqual([
      prompts.write,
      prompts.resume,
    ]);
  });

  it("has what a subagent wrote in the turn that started it", async () => {
    const { origins } = await stage.pm<WhyAnswer>("why", "src/heron.ts:2");
    expect(origins[0]!.written_by).toMatchObject({ author: "agent", session_id: ids.delegate });
    expect((await show(ids.delegate)).turns).toMatchObject([{ tools: { task: 1, edit: 1 } }]);
  });

  it("gets context at the start and with a prompt, none of it recorded as conversation", async () => {
    expect(beginning.toldWhereNothingIsKnown).toBe(false);
    const { told } = await stage.pm<{ told: Injected[] }>("context");
    const eventsOf = (id: string) =>
      told.flatMap(({ session_id, event }) => (session_id === id ? event : []));
    expect(eventsOf(ids.again)).toContain("session-start");
    expect(wasGivenContext(stage.api.requests)).toBe(true);
    for (const id of [ids.again, ids.write])
      expect(JSON.stringify(await show(id))).not.toMatch(/pommel-context|banned by the server/);
  });

  it("makes one annotation of a note that both hook and chat report", async () => {
    const { annotations } = await stage.pm<NotesResponse>("annotations");
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toMatchObject({ note, session_id: ids.edit, turn: 1 });
  });

  it("calls Pommel's tools, whose answers are not recorded, in an environment that names the session", async () => {
    const answers = [...stage.api.toolResults.values()].map(({ text }) => text);
    const given = answers.filter((text) => text.includes("The heron importer gives up"));
    expect(given.length).toBeGreaterThanOrEqual(2);
    expect(answers.find((text) => /\bin [\da-f-]{36}\b/.test(text))).toContain(`in ${ids.ask}`);
    const asked = await show(ids.ask);
    expect(Object.keys(asked.turns[0]!.tools).sort()).toEqual([
      "bash",
      "mcp__pommel__code",
      "mcp__pommel__recall",
    ]);
    expect(JSON.stringify(asked)).not.toMatch(/gives up|export const/);
  });

  it("stores no secret of the client's environment", async () => {
    const answers = [...stage.api.toolResults.values()].map(({ text }) => text).join("\n");
    expect(answers).toContain(stage.key);
    expect(JSON.stringify(await show(ids.edit))).toContain("[REDACTED_ANTHROPIC_KEY]");
    expect(filesWith(stage.key, stage.kept.dataDir)).toEqual([]);
  });

  it("has its files back after pm disable, byte for byte", async () => {
    const { root } = stage.project;
    const read = () =>
      Object.fromEntries(
        Object.keys(filesBefore).map((name) => [name, readFileSync(join(root, name), "utf8")]),
      );
    expect(read()).not.toEqual(filesBefore);
    expect(existsSync(join(root, ".agents", "skills", "pommel", "SKILL.md"))).toBe(true);
    expect(await stage.skills()).toContain("pommel");
    await stage.pm("disable");
    expect(read()).toEqual(filesBefore);
    expect(existsSync(join(root, ".agents"))).toBe(false);
  });
});
