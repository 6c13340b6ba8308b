import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Injected } from "../../../src/features/context/operation.ts";
import type { NotesResponse } from "../../../src/features/notes/operation.ts";
import type { SessionsResponse } from "../../../src/features/sessions/operation.ts";
import type { WhyAnswer } from "../../../src/features/why/operation.ts";
import { allTools, maxTokensIn, measureDoor } from "../door.ts";
import { logOf } from "../ground.ts";
import {
  type Beginning,
  beginWith,
  describeClient,
  filesWith,
  injectEagerly,
  itFollowedItsScripts,
  memoryOf,
  wasGivenContext,
} from "../suite.ts";
import { note, prompts } from "./scripts.ts";
import { filesBefore, model, type OpencodeStage, setOpencodeStage } from "./stage.ts";

/** The real OpenCode with Pommel, from its plugin to search. */

describeClient("OpenCode", "sessions", (bin) => {
  let stage: OpencodeStage;
  const ids = { edit: "", write: "", fork: "", again: "", delegate: "", ask: "", undo: "" };
  let beginning: Beginning;

  const { show, search } = memoryOf(() => stage);

  beforeAll(async () => {
    stage = await setOpencodeStage(bin);
    const { pm, say, settled, serve } = stage;
    await pm("init", "--agent", "opencode", "--mcp", "--instructions", "--team");
    await injectEagerly(stage);
    beginning = await beginWith(stage, prompts.edit);
    ids.edit = beginning.edit;
    ids.again = await say(prompts.again);
    ids.write = await say(prompts.write);
    await settled();
    await say(prompts.resume, "--session", ids.write);
    await settled();
    ids.fork = await say(prompts.fork, "--session", ids.write, "--fork");
    ids.delegate = await say(prompts.delegate);
    await settled();
    await serve(async (post) => {
      await post(`/session/${ids.write}/summarize`, model);
      await settled();
      const { id } = (await post("/session", {})) as { id: string };
      ids.undo = id;
      const ask = (text: string) => post(`/session/${id}/message`, { parts: [{ type: "text", text }] });
      await ask(prompts.resume);
      const { info } = (await ask(prompts.break)) as { info: { parentID: string } };
      await settled();
      await post(`/session/${id}/revert`, { messageID: info.parentID });
      await ask(prompts.instead);
      await settled();
    });
    ids.ask = await say(prompts.ask);
    await settled();
  }, 400_000);

  afterAll(() => stage?.close(), 60_000);

  itFollowedItsScripts(() => stage);

  it("runs every hook, without a word and without a failure", () => {
    const run = stage.hooksRun().filter(({ hook }) => !hook.startsWith("git-"));
    const ours = ["session-start", "user-prompt", "post-tool-use", "stop", "pre-compact"];
    expect([...new Set(run.map(({ hook }) => hook))].sort()).toEqual(ours.sort());
    expect(run.filter(({ code }) => code !== "0")).toEqual([]);
    expect(stage.hooksSaid()).toBe("");
  });

  it("leaves in the spool what happened without a daemon, which a daemon imports", () => {
    expect(beginning.spooledAlone).toHaveLength(5);
    expect(readdirSync(stage.daemon.spoolDir)).toEqual([]);
    const warned = logOf(stage.daemon).match(/.*(?:rejected|"level":(?:40|50)).*/g) ?? [];
    // What was undone is not there any more.
    expect(warned).toEqual([expect.stringContaining(`${ids.undo} was replaced`)]);
  });

  it("is remembered session by session, each with its branch", async () => {
    const { sessions } = await stage.pm<SessionsResponse>("session", "list");
    expect(sessions.map(({ id }) => id).sort()).toEqual(Object.values(ids).sort());
    for (const session of sessions) {
      expect(session).toMatchObject({ agent: "opencode", cwd: stage.project.root });
      // The daemon may have come too late to see it.
      if (session.id !== ids.edit) expect(session.branch).toBe("importer");
      expect(session.tokens.output).toBeGreaterThan(0);
    }
    const { sessions: all } = await stage.pm<SessionsResponse>("session", "list", "--agents");
    expect(all.filter(({ id }) => id.startsWith(`${ids.delegate}/`))).toHaveLength(1);
    expect((await search("albatross constant farthest"))[0]!.session_id).toContain(`${ids.delegate}/`);
  });

  it("is found by its conversation, and its edits by the lines that they wrote", async () => {
    const found = await search(
      "heron importer timeout retry",
      "--file",
      "src/heron.ts",
      "--agent",
      "opencode",
    );
    expect(found.map((result) => result.session_id)).toContain(ids.edit);
    expect((await search("pelican exporter label"))[0]).toMatchObject({ session_id: ids.write });
    const { origins } = await stage.pm<WhyAnswer>("why", "src/heron.ts:1");
    expect(origins[0]!.written_by).toMatchObject({
      author: "agent",
      agent: "opencode",
      session_id: ids.edit,
    });
    expect(origins[0]!.commit).toMatchObject({ subject: "Retry the import" });
    const [turn] = (await show(ids.edit)).turns;
    expect(turn).toMatchObject({ tools: { read: 1, edit: 2, bash: 3 } });
  });

  it("goes on with resumed sessions, and keeps a fork's own turns", async () => {
    const turns = async (id: string) => (await show(id)).turns.map(({ prompt }) => prompt);
    expect(await turns(ids.write)).toEqual([prompts.write, prompts.resume]);
    expect(await turns(ids.fork)).toEqual([prompts.fork]);
    expect(await show(ids.fork)).toMatchObject({ session: { forked_from: ids.write } });
    expect((await search("puffin", "--type", "summary"))[0]).toMatchObject({ session_id: ids.write });
  });

  it("marks what was undone, and keeps it", async () => {
    const { turns } = await show(ids.undo);
    expect(turns.map(({ prompt, abandoned }) => [prompt, abandoned])).toEqual([
      [prompts.resume, false],
      [prompts.break, true],
      [prompts.instead, false],
    ]);
  });

  it("gets context at the start, with a prompt and after an edit, none of it recorded as conversation", async () => {
    expect(beginning.toldWhereNothingIsKnown).toBe(false);
    const { told } = await stage.pm<{ told: Injected[] }>("context");
    const eventsOf = (id: string) =>
      told.flatMap(({ session_id, event }) => (session_id === id ? event : [])).reverse();
    expect(eventsOf(ids.again)).toContain("session-start");
    expect(eventsOf(ids.write)).toContain("session-start");
    expect(stage.api.wasGiven("- Stopped on this branch ")).toBe(true);
    expect(wasGivenContext(stage.api.requests)).toBe(true);
    for (const id of [ids.again, ids.write])
      expect(JSON.stringify(await show(id))).not.toMatch(/pommel-context|banned by the server/);
  });

  it("makes one annotation of a note that both hook and session report", async () => {
    const { annotations } = await stage.pm<NotesResponse>("annotations");
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toMatchObject({ note, session_id: ids.edit, turn: 1 });
  });

  it("calls Pommel's tools, whose answers are not recorded, in an environment that names the session", async () => {
    const [request = ""] = stage.api.requests.filter((body) => measureDoor(body).tools.length > 0);
    const { tools, hasInstructions, tokens } = measureDoor(request);
    expect([tools, hasInstructions]).toEqual([allTools, true]);
    expect(tokens).toBeLessThanOrEqual(maxTokensIn("OpenCode"));
    const answers = [...stage.api.toolResults.values()].map(({ text }) => text);
    expect(answers.some((text) => /^1\texport const attempts/m.test(text))).toBe(true);
    const given = answers.filter((text) => text.includes("The heron importer gives up"));
    expect(given.length).toBeGreaterThanOrEqual(2);
    expect(given.some((text) => text.includes(`in ${ids.ask}`))).toBe(true);
    const asked = await show(ids.ask);
    expect(asked.turns[0]!.tools).toEqual({ pommel_code: 1, pommel_recall: 1, bash: 1 });
    expect(JSON.stringify(asked)).not.toMatch(/gives up|export const/);
  });

  it("stores no secret of the client's environment", async () => {
    const answers = [...stage.api.toolResults.values()].map(({ text }) => text).join("\n");
    expect(answers).toContain(stage.key);
    expect(JSON.stringify(await show(ids.edit))).toContain("ANTHROPIC_API_KEY=[REDACTED_");
    expect(filesWith(stage.key, stage.kept.dataDir)).toEqual([]);
  });

  it("has its files back after pm disable, byte for byte", async () => {
    const { root } = stage.project;
    const read = () =>
      Object.fromEntries(
        Object.keys(filesBefore).map((name) => [name, readFileSync(join(root, name), "utf8")]),
      );
    expect(read()).not.toEqual(filesBefore);
    expect(existsSync(join(root, ".opencode", "plugin", "pommel.js"))).toBe(true);
    await stage.pm("disable");
    expect(read()).toEqual(filesBefore);
    expect(existsSync(join(root, ".opencode", "plugin"))).toBe(false);
    expect(existsSync(join(root, ".agents"))).toBe(false);
  });
});
