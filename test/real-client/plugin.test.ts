import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod/mini";
import { listTools } from "../../src/faces/mcp/listed-tools.ts";
import type { NotesResponse } from "../../src/features/notes/operation.ts";
import { spooled } from "./ground.ts";
import { note, prompts } from "./scripts.ts";
import { type Stage, setStage } from "./stage.ts";
import { describeClient } from "./suite.ts";

/** This repository, which is a marketplace. */
const marketplace = fileURLToPath(new URL("../..", import.meta.url));

/** The tools that a client is told of. */
const listed = listTools()
  .tools.map(({ name }) => name)
  .sort();

/** What the client says of itself when it starts. */
const started = z.object({
  subtype: z.literal("init"),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
  slash_commands: z.array(z.string()),
  skills: z.array(z.string()),
  tools: z.array(z.string()),
});

describeClient("Claude Code", "the plugin", (bin) => {
  let stage: Stage;
  let first: z.infer<typeof started>;

  beforeAll(async () => {
    stage = await setStage(bin);
    await stage.client("plugin", "validate", marketplace);
    await stage.client("plugin", "validate", `${marketplace}/plugin`);
    await stage.client("plugin", "marketplace", "add", marketplace);
    await stage.client("plugin", "install", "pommel@pommel");
    await stage.pm("init", "--no-hooks");
    first = await start(prompts.edit);
  });

  afterAll(() => stage?.close());

  const start = (prompt: string) => startIn(stage, prompt);

  it("brings the skill, the commands and the MCP server with its tools", () => {
    expect(first.skills).toContain("pommel:pommel");
    expect(first.slash_commands).toEqual(
      expect.arrayContaining(["pommel:recall", "pommel:why", "pommel:note"]),
    );
    expect(first.mcp_servers).toContainEqual(
      expect.objectContaining({
        name: "plugin:pommel:pommel",
        status: expect.not.stringMatching("failed"),
      }),
    );
    const names = first.tools.filter((name) => name.startsWith("mcp__plugin_pommel_pommel__"));
    expect(names.map((name) => name.split("__").at(-1)).sort()).toEqual(listed);
  });

  it("runs the hooks, whose events a daemon imports", () => {
    const run = stage.hooksRun();
    expect(new Set(run.map(({ hook }) => hook))).toEqual(
      new Set(["session-start", "user-prompt", "post-tool-use", "stop", "session-end"]),
    );
    expect(run.filter(({ code }) => code !== "0")).toEqual([]);
    expect(stage.hooksSaid()).toBe("");
    expect(spooled(stage.daemon)).toHaveLength(run.length);
  });

  it("leaves it to the project's hooks where these are installed as well: nothing is recorded twice", async () => {
    await stage.pm("init");
    const before = { hooks: stage.hooksRun().length, items: spooled(stage.daemon).length };
    await start(prompts.note);
    const run = stage.hooksRun().slice(before.hooks);
    const once = new Set(run.map(({ hook }) => hook)).size;
    // The client runs both, and one of them has nothing to do.
    expect(run).toHaveLength(2 * once);
    expect(spooled(stage.daemon)).toHaveLength(before.items + once);
    await stage.pm("start");
    await stage.settled();
    const { annotations } = await stage.pm<NotesResponse>("annotations");
    expect(annotations.map((annotation) => annotation.note)).toEqual([note]);
  });
});

describeClient("Claude Code", "what pm init --yes writes", (bin) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(bin);
  });
  afterAll(() => stage?.close());

  it("is found by the client: the hooks, the MCP server with its tools, the skill; and gone after pm disable", async () => {
    await stage.pm("init", "--yes");
    const { mcp_servers, skills, tools: names } = await startIn(stage, prompts.edit);
    expect(skills).toContain("pommel");
    expect(mcp_servers.map(({ name }) => name)).toContain("pommel");
    const ours = names.filter((name) => name.startsWith("mcp__pommel__"));
    expect(ours.map((name) => name.split("__").at(-1)).sort()).toEqual(listed);
    const ran = stage.hooksRun().length;
    expect(ran).toBeGreaterThan(0);
    await stage.pm("disable");
    const after = await startIn(stage, prompts.afterwards);
    expect(after.skills).not.toContain("pommel");
    expect(after.mcp_servers).toEqual([]);
    expect(stage.hooksRun()).toHaveLength(ran);
  });
});

/** Has the client answer a prompt. @returns what it says of itself at its start */
async function startIn(stage: Stage, prompt: string): Promise<z.infer<typeof started>> {
  const how = ["--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"];
  const lines = (await stage.client("-p", prompt, ...how)).split("\n").filter((line) => line !== "");
  const init = lines.map((line): unknown => JSON.parse(line)).find((line) => started.safeParse(line).success);
  return z.parse(started, init);
}
