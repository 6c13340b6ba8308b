import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionResponse } from "../../src/features/sessions/operation.ts";
import { note, prompts } from "./gemini-scripts.ts";
import { type GeminiStage, setGeminiStage } from "./gemini-stage.ts";
import { spooled } from "./ground.ts";
import { describeClient } from "./suite.ts";

/** The extension in sessions of the real Gemini CLI, where nothing else of Pommel is set up. */

/** Of the last build. */
const extension = fileURLToPath(new URL("../../dist/gemini-extension", import.meta.url));

describeClient("Gemini CLI", "the extension", (bin) => {
  let stage: GeminiStage;
  let spooledAlone: number;
  const ids = { edit: "", ask: "" };

  beforeAll(async () => {
    stage = await setGeminiStage(bin);
    const { pm, client, say, settled } = stage;
    // It asks of a folder that it installs from, too.
    stage.trust(extension);
    await client("extensions", "install", extension, "--consent");
    await pm("init", "--no-hooks");
    // The client's MCP server, which may not get the environment, would start a daemon.
    await pm("config", "set", "--global", "daemon.autostart", "false");
    // The machine may be busy with other tests; deadlines are tested elsewhere.
    await pm("config", "set", "context.deadline_ms", "5000");
    ids.edit = await say(prompts.edit);
    spooledAlone = spooled(stage.daemon).length;
    await pm("start");
    await settled();
    ids.ask = await say(prompts.ask);
    await settled();
  }, 240_000);

  afterAll(() => stage?.close());

  const show = (id: string) => stage.pm<SessionResponse>("session", "show", id);

  it("runs its hooks", () => {
    const names = ["session-start", "user-prompt", "post-tool-use", "stop", "session-end"];
    const asking = names.filter((name) => name !== "post-tool-use");
    expect(stage.hooksRun()).toEqual([...names, ...asking].map((hook) => ({ hook, code: "0" })));
    expect(stage.hooksSaid()).toBe("");
    expect(stage.api.problems).toEqual([]);
  });

  it("leaves events in the spool, which a daemon imports: a session has an end", async () => {
    expect(spooledAlone).toBe(5);
    expect(spooled(stage.daemon)).toEqual([]);
    for (const id of Object.values(ids)) {
      expect((await show(id)).session).toMatchObject({ agent: "gemini", end_reason: "exit" });
    }
  });

  it("has its server answer, and gives context at the start of a session", () => {
    const { answers, wasGiven } = stage.api;
    expect(answers.get("mcp_pommel_code")).toContain("src/heron.ts");
    expect(answers.get("mcp_pommel_recall")).toContain("The heron importer gives up");
    expect(wasGiven(`- User's note: “${note}”`)).toBe(true);
  });
});
