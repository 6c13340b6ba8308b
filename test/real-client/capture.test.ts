import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { NotesResponse } from "../../src/features/notes/operation.ts";
import type { SessionSummary, SessionsResponse } from "../../src/features/sessions/operation.ts";
import { type HookName, hookNames } from "../../src/protocol/hooks.ts";
import { logOf, spooled } from "./ground.ts";
import { delegation, note, prompts, saidBefore } from "./scripts.ts";
import { type Stage, setStage, settingsBefore } from "./stage.ts";
import { describeClient, memoryOf } from "./suite.ts";

describeClient("Claude Code", "sessions", (bin) => {
  let stage: Stage;
  /** Ids of the sessions by what happens in them. */
  const ids = { edit: "", note: "", fork: "", delegate: "", background: "", ask: "" };
  /** The hooks' spool before there was a daemon. */
  let spooledAlone: string[];

  const { show, search, sessionsOf } = memoryOf(() => stage);

  beforeAll(async () => {
    stage = await setStage(bin);
    const { pm, say, settled } = stage;
    await pm("init", "--team");
    ids.edit = await say(prompts.edit);
    spooledAlone = spooled(stage.daemon).flatMap((name) => eventIn(join(stage.daemon.spoolDir, name)) ?? []);
    await pm("start");
    ids.note = await say(prompts.note);
    await say(prompts.resume, "--resume", ids.edit);
    await settled();
    ids.fork = await say(prompts.fork, "--resume", ids.edit, "--fork-session");
    await say("/compact", "--resume", ids.edit);
    await say(prompts.afterwards, "--resume", ids.edit);
    ids.delegate = await say(prompts.delegate);
    ids.background = await say(prompts.background);
    ids.ask = await say(prompts.ask);
    await settled();
  }, 300_000);

  afterAll(() => stage?.close());

  const list = async () => (await stage.pm<SessionsResponse>("session", "list", "--agents")).sessions;

  it("did what the scripts say", () => {
    expect(stage.api.problems).toEqual([]);
    const subject = execFileSync("git", ["log", "-1", "--format=%s"], { cwd: stage.project.root });
    expect(subject.toString()).toBe("Retry the import\n");
  });

  it("runs every hook, without a word and without a failure, and those of others as before", () => {
    const run = stage.hooksRun().filter(({ hook }) => !hook.startsWith("git-"));
    // Failures have a hook only where their context is on.
    const usual = hookNames.filter((name) => name !== "tool-failure");
    expect(new Set(run.map(({ hook }) => hook))).toEqual(new Set(usual));
    expect(run.filter(({ code }) => code !== "0")).toEqual([]);
    expect(stage.hooksSaid()).toBe("");
    expect(readdirSync(join(stage.project.root, ".git"))).toContain("own-hook-ran");
  });

  it("leaves in the spool what happened without a daemon, which a daemon imports", () => {
    const expected: HookName[] = ["session-start", "user-prompt", "post-tool-use", "stop", "session-end"];
    expect(new Set(spooledAlone)).toEqual(new Set(expected));
    // Reads and commands change no file.
    expect(spooledAlone.filter((event) => event === "post-tool-use")).toHaveLength(1);
    expect(readdirSync(stage.daemon.spoolDir)).toEqual([]);
    expect(logOf(stage.daemon)).not.toMatch(/rejected|"level":"(?:warn|error)"/);
  });

  it("is remembered session by session, each with its end", async () => {
    const sessions = await list();
    const main = sessions.filter((session) => session.parent_id === null);
    expect(main.map(({ id }) => id).sort()).toEqual(Object.values(ids).sort());
    for (const session of main) {
      expect(session).toMatchObject({ agent: "claude", cwd: stage.project.root, branch: "importer" });
      // Only the hook reports it.
      expect(session).toMatchObject({ ended_at: expect.any(String), end_reason: "other" });
      expect(session.tokens.output).toBeGreaterThan(0);
    }
  });

  it("is found by what was edited and said", async () => {
    expect((await sessionsOf("heron importer timeout retry"))[0]).toBe(ids.edit);
    expect(new Set(await sessionsOf("--file", "src/heron.ts", "heron"))).toContain(ids.edit);
    const { turns, files } = await show(ids.edit);
    expect(turns[0]).toMatchObject({ tools: { Read: 1, Edit: 1, Bash: 2 } });
    expect(turns[0]!.prompt).toContain("The heron importer gives up");
    expect(files).toContainEqual({ path: "src/heron.ts", how: "edit" });
  });

  it("goes on in the same session when it is resumed, also after a compaction", async () => {
    expect((await sessionsOf("pelican exporter label"))[0]).toBe(ids.edit);
    expect((await sessionsOf("kestrel cache"))[0]).toBe(ids.edit);
    const said = (await show(ids.edit)).turns.map(({ prompt }) => prompt);
    const asked = said.filter((prompt) => prompt.includes("[[script:"));
    expect(asked.map((prompt) => /script:(\w+)/.exec(prompt)?.[1])).toEqual(["edit", "resume", "afterwards"]);
  });

  it("keeps the agent's own summary of a compaction", async () => {
    const found = await search("--type", "summary", "puffin");
    expect(found[0]).toMatchObject({ session_id: ids.edit, chunk_type: "summary" });
    expect(found[0]!.content).not.toContain("First a retry, then a label");
    const { turns } = await show(ids.edit);
    expect(turns.filter(({ prompt }) => prompt.includes("This session is being continued"))).toEqual([]);
  });

  it("keeps of a fork only what it says itself", async () => {
    const fork = await show(ids.fork);
    expect(fork.session).toMatchObject({ forked_from: ids.edit });
    expect(fork.turns).toHaveLength(1);
    expect(fork.turns[0]!.prompt).toContain("Would a gannet queue");
    expect((await sessionsOf("gannet queue"))[0]).toBe(ids.fork);
    expect(JSON.stringify(fork)).not.toContain("pelican");
  });

  it("links a subagent to the call that sent it", async () => {
    const agents = (await list()).filter((session) => session.parent_id === ids.delegate);
    expect(agents).toHaveLength(1);
    const [agent] = agents as [SessionSummary];
    expect(agent).toMatchObject({
      parent_id: ids.delegate,
      parent_tool_use: delegation,
      agent_type: "general-purpose",
    });
    expect((await show(ids.delegate)).agents).toEqual([agent.id]);
    expect(await sessionsOf("albatross limit constant farthest")).toContain(agent.id);
  });

  it("does not take for a prompt that a subagent in the background is done", async () => {
    expect(transcriptOf(ids.background).includes("<task-notification>")).toBe(true);
    const { turns, agents } = await show(ids.background);
    expect(turns.map(({ prompt }) => prompt)).toEqual([prompts.background]);
    expect(turns[0]!.content).toContain("They are counted.");
    expect(agents).toHaveLength(1);
  });

  it("makes one annotation of a note that both hook and transcript report", async () => {
    const { annotations, total } = await stage.pm<NotesResponse>("annotations");
    expect(total).toBe(1);
    expect(annotations).toEqual([
      expect.objectContaining({ note, session_id: ids.note, turn: 1, source: "prompt", branch: "importer" }),
    ]);
    const found = await search("cormorant settings", "--type", "annotated");
    expect(found).toEqual([expect.objectContaining({ session_id: ids.note, annotation: note })]);
  });

  it("does not remember what Pommel answered", async () => {
    expect(transcriptOf(ids.ask).includes(saidBefore)).toBe(true);
    const asked = await show(ids.ask);
    expect(asked.turns[0]).toMatchObject({ tools: { Bash: 1 } });
    expect(JSON.stringify(asked)).not.toContain(saidBefore);
    expect(await sessionsOf("three times", "--mode", "fts")).not.toContain(ids.ask);
  });

  it("stores no secret of the client's environment", async () => {
    expect(transcriptOf(ids.edit).includes(stage.key)).toBe(true);
    const all = await Promise.all((await list()).map(({ id }) => show(id)));
    const text = JSON.stringify(all);
    expect(text).toContain("ANTHROPIC_API_KEY=[REDACTED_");
    expect(text.includes(stage.key)).toBe(false);
    for (const file of filesUnder(stage.kept.dataDir)) {
      expect(readFileSync(file).includes(stage.key), file).toBe(false);
    }
  });

  it("is recorded without any hook: launched in a subdirectory, the client finds no settings", async () => {
    const before = stage.hooksRun().length;
    const id = await stage.sayIn("src", prompts.below);
    await stage.settled();
    expect(stage.hooksRun()).toHaveLength(before);
    expect((await sessionsOf("osprey directory"))[0]).toBe(id);
  });

  it("has its settings back after `pm disable`", async () => {
    expect(readFileSync(stage.settingsFile, "utf8")).not.toBe(settingsBefore);
    await stage.pm("disable");
    expect(readFileSync(stage.settingsFile, "utf8")).toBe(settingsBefore);
    const before = stage.hooksRun().length;
    await stage.say(prompts.afterwards);
    expect(stage.hooksRun()).toHaveLength(before);
  });

  function transcriptOf(id: string): string {
    const file = stage.transcripts().find((path) => path.endsWith(`${id}.jsonl`));
    return file === undefined ? "" : readFileSync(file, "utf8");
  }
});

/** Of what git's hooks left null. */
function eventIn(file: string): string | null {
  return (JSON.parse(readFileSync(file, "utf8")) as { event?: string }).event ?? null;
}

function filesUnder(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
