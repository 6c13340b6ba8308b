import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionResponse } from "../../src/features/sessions/operation.ts";
import { prompts } from "./codex-scripts.ts";
import { type CodexStage, type ListedHook, setCodexStage } from "./codex-stage.ts";
import { spooled } from "./ground.ts";
import { describeClient } from "./suite.ts";

/** The plugin in sessions of the real Codex CLI, where nothing else of Pommel is set up. */

/** This repository, which is a marketplace. */
const marketplace = fileURLToPath(new URL("../..", import.meta.url));

describeClient("Codex CLI", "the plugin", (bin) => {
  let stage: CodexStage;
  let listed: ListedHook[];
  let ranUntrusted: number;
  let spooledAlone: number;
  const ids = { untrusted: "", edit: "", ask: "" };

  beforeAll(async () => {
    stage = await setCodexStage(bin);
    const { pm, client, say, settled } = stage;
    await client("plugin", "marketplace", "add", marketplace);
    await client("plugin", "add", "pommel@pommel");
    await pm("init", "--no-hooks");
    // The client's MCP server, which may not get the environment, would start a daemon.
    await pm("config", "set", "--global", "daemon.autostart", "false");
    // The machine may be busy with other tests; deadlines are tested elsewhere.
    await pm("config", "set", "context.deadline_ms", "5000");
    ids.untrusted = await say(prompts.untrusted);
    ranUntrusted = stage.hooksRun().length;
    listed = await stage.hooksListed();
    stage.trust(listed);
    ids.edit = await say(prompts.edit);
    spooledAlone = spooled(stage.daemon).length;
    await pm("start");
    // The first daemon begins with what is written from now on: no hook told it of this one.
    await pm("import", "codex", "--yes");
    await settled();
    ids.ask = await say(prompts.ask);
    await settled();
  });

  afterAll(() => stage?.close());

  const show = (id: string) => stage.pm<SessionResponse>("session", "show", id);

  it("runs its hooks once they are trusted, and not before", () => {
    expect(listed.map(({ command }) => command).filter((it) => it.includes("pommel hook "))).toHaveLength(7);
    expect(ranUntrusted).toBe(0);
    const names = ["session-start", "user-prompt", "post-tool-use", "stop", "session-end"];
    const asking = names.filter((name) => name !== "post-tool-use");
    expect(stage.hooksRun()).toEqual([...names, ...asking].map((hook) => ({ hook, code: "0" })));
    expect(stage.hooksSaid()).toBe("");
    expect(stage.api.problems).toEqual([]);
  });

  it("leaves events in the spool, which a daemon imports: a session has an end", async () => {
    expect(spooledAlone).toBe(5);
    expect(spooled(stage.daemon)).toEqual([]);
    const ended = { ended_at: expect.any(String) as string, end_reason: "other" };
    for (const id of [ids.edit, ids.ask]) expect((await show(id)).session).toMatchObject(ended);
    expect((await show(ids.untrusted)).session).toMatchObject({ agent: "codex", ended_at: null });
  });

  it("has its server answer, and gives context at the start of a session", () => {
    const { answers, wasGiven } = stage.api;
    expect(answers.get("call_recall")).toContain("heronLedger");
    expect(wasGiven("- The last session on this branch: “", "ask")).toBe(true);
  });
});
