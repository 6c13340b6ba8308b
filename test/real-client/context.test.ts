import { afterAll, beforeAll, expect, it } from "vitest";
import type { Injected } from "../../src/features/context/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import { note, prompts } from "./scripts.ts";
import { type Stage, setStage } from "./stage.ts";
import { describeClient, wasGivenContext } from "./suite.ts";

/** Automatic context reaches the model, and is not recorded as conversation. */

describeClient("Claude Code", "automatic context", (bin) => {
  let stage: Stage;
  const ids = { note: "", afterwards: "", edit: "", reopened: "" };
  let givenToFirst = false;

  beforeAll(async () => {
    stage = await setStage(bin);
    await stage.pm("init", "--team");
    await stage.pm("config", "set", "context.kinds", "start,compaction,prompt,search,edit,revert");
    // The machine may be busy with other tests; deadlines are tested elsewhere.
    await stage.pm("config", "set", "context.deadline_ms", "5000");
    await stage.pm("start");
    ids.note = await stage.say(prompts.note);
    await stage.settled();
    givenToFirst = wasGivenContext(stage.api.requests);
    ids.afterwards = await stage.say(prompts.afterwards);
    await stage.settled();
    await stage.say(prompts.search);
    await stage.settled();
    ids.edit = await stage.say(prompts.edit);
    await stage.settled();
    await stage.say("/compact", "--resume", ids.edit);
    await stage.settled();
    const { directory, command } = await stage.pm<{ directory: string; command: string }>("resume", ids.edit);
    const [program, ...args] = command.split(" ");
    expect([program, directory]).toEqual(["claude", stage.project.root]);
    ids.reopened = await stage.say(prompts.resume, ...args);
    await stage.settled();
  }, 300_000);

  afterAll(() => stage?.close());

  it("is empty where the memory is", () => {
    expect(stage.api.problems).toEqual([]);
    expect(givenToFirst).toBe(false);
  });

  it("reaches the model, quoted, in a frame of its own", () => {
    expect(wasGivenContext(stage.api.requests)).toBe(true);
    expect(stage.api.wasGiven(`- Another tool's note: “${note}”`)).toBe(true);
  });

  it("is shown by pm session context, with when, why and at what cost", async () => {
    const { told } = await stage.pm<{ told: Injected[] }>("context");
    const first = told.filter(({ session_id }) => session_id === ids.afterwards);
    expect(first).toHaveLength(1);
    expect(first[0]).toMatchObject({ event: "session-start" });
    expect(first[0]!.tokens).toBeGreaterThan(0);
    expect(first[0]!.items.map(({ about }) => about)).toContain(note);
  });

  it("reaches the model after a compaction, with what the summary dropped", () => {
    expect(stage.api.wasGiven("- Also edited before the compaction: “src/heron.ts”")).toBe(true);
  });

  it("reaches the model before a search, with the place that it is after", () => {
    expect(stage.api.wasGiven("- Likely: “src/heron.ts:1 attempts”")).toBe(true);
  });

  it("is of the session that `pm session resume` reopens", () => {
    expect(ids.reopened).toBe(ids.edit);
  });

  it("is not recorded as conversation", async () => {
    const of = ["--session", ids.afterwards];
    const { results } = await stage.pm<TranscriptSearchResponse>(
      "search",
      "transcripts",
      "kestrel cache",
      ...of,
    );
    expect(results.length).toBeGreaterThan(0);
    const own = await stage.pm<TranscriptSearchResponse>(
      "search",
      "transcripts",
      "cormorant settings TOML",
      ...of,
    );
    expect(own.results.filter(({ content }) => /cormorant|pommel-context/.test(content))).toEqual([]);
  });
});
