import { afterAll, beforeAll, expect, it } from "vitest";
import type { NotesResponse } from "../../src/features/notes/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import { historyLabel } from "../../src/tools/text.ts";
import { allTools, maxTokensIn, measureDoor } from "./door.ts";
import { prompts } from "./scripts.ts";
import { type Stage, setStage } from "./stage.ts";
import { describeClient } from "./suite.ts";
import { type CalledTool, loading, toolCalls, toolPrompt, useOf } from "./tool-scripts.ts";

describeClient("Claude Code", "Pommel's tools", (bin) => {
  let stage: Stage;
  let edited = "";
  let asking = "";

  beforeAll(async () => {
    stage = await setStage(bin);
    await stage.pm("init", "--mcp");
    await stage.pm("start");
    edited = await stage.say(prompts.edit);
    await stage.settled();
    asking = await stage.say(toolPrompt);
    await stage.settled();
    for (const { env, prompt } of Object.values(loading)) await stage.sayWith(env, prompt);
  }, 300_000);

  afterAll(() => stage?.close());

  const resultOf = (tool: CalledTool | "wrong") => {
    const result = stage.api.toolResults.get(useOf(tool));
    if (!result) throw new Error(`${tool} was not answered`);
    return result;
  };

  it("calls every tool without an error", () => {
    expect(stage.api.problems).toEqual([]);
    const failed = (Object.keys(toolCalls) as CalledTool[]).filter((tool) => resultOf(tool).isError);
    expect(failed.map((tool) => `${tool}: ${resultOf(tool).text}`)).toEqual([]);
  });

  it("gets answers about the session before", () => {
    expect(resultOf("code").text).toContain("src/heron.ts");
    // The text that the model reads is the text that was written, with its lines and without escapes.
    expect(resultOf("code").text).toMatch(/^\d+\t/m);
    for (const tool of ["recall", "why"] as const) {
      expect(resultOf(tool).text).toContain("The heron importer gives up");
      expect(resultOf(tool).text).toContain(historyLabel);
    }
    // The one that asks is left out.
    expect(resultOf("recall").text).toContain(edited.slice(0, 8));
  });

  it("is refused a path outside the project, with what to do instead", () => {
    expect(resultOf("wrong")).toMatchObject({ isError: true });
    expect(resultOf("wrong").text).toContain("is outside the project");
  });

  it("keeps a note with the session that took it", async () => {
    const { annotations } = await stage.pm<NotesResponse>("annotations", "--search", "bittern");
    expect(annotations).toMatchObject([{ session_id: asking, note: toolCalls.note.text }]);
  });

  it("shows a model all four tools from the start, whether the client defers tools or not", () => {
    const shown = (script: keyof typeof loading) =>
      stage.api.toolsAtFirst.get(script)?.filter((tool) => tool.startsWith("mcp__pommel__"));
    const named = (tools: readonly string[]) => tools.map((tool) => `mcp__pommel__${tool}`).sort();
    expect(shown("deferred")).toEqual(named(Object.keys(toolCalls)));
    expect(shown("undeferred")).toEqual(named(Object.keys(toolCalls)));
  });

  it("shows a model the tools and when to call which", () => {
    const unheard = Object.keys(toolCalls).filter((tool) => !stage.api.wasGiven(`mcp__pommel__${tool}`));
    expect(unheard).toEqual([]);
    const [request = ""] = stage.api.requests.filter((body) => measureDoor(body).tools.length > 0);
    const { tools, hasInstructions, tokens } = measureDoor(request);
    expect([tools, hasInstructions]).toEqual([allTools, true]);
    expect(tokens).toBeLessThanOrEqual(maxTokensIn("Claude Code"));
  });

  it("does not record the tools' answers as conversation", async () => {
    const { results } = await stage.pm<TranscriptSearchResponse>(
      "search",
      "transcripts",
      "heron importer timeout",
    );
    const ofAsking = results.filter(
      ({ session_id, chunk_type }) => session_id === asking && chunk_type === "raw",
    );
    expect(ofAsking.map(({ content }) => content).join("\n")).not.toContain("The heron importer gives up");
  });
});
