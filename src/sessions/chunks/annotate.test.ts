import { describe, expect, test } from "vitest";
import { conversation, edited, prompt, ran, text } from "../../../test/support/turn-fixture.ts";
import { estimateTokens } from "../../base/text/text-size.ts";
import { buildNoteChunk } from "./annotate.ts";
import { buildSummaryChunks } from "./chunk-to-store.ts";
import type { ChunkOptions } from "./chunker.ts";
import { buildKindRules } from "./kinds.ts";

const options: ChunkOptions = {
  minTokens: 200,
  maxTokens: 800,
  kinds: buildKindRules(),
  relativize: (path) => path,
};

describe("the chunk of a note", () => {
  const turns = conversation(
    { branch: "main" },
    prompt("which cache?"),
    text("Redis is shared."),
    prompt("good. Note to Pommel: use Redis"),
    text("Noted."),
  );
  const lineUid = turns[1]?.lines[0]?.uid ?? null;

  test("begins with it and holds the conversation up to it", () => {
    const made = buildNoteChunk("use Redis", lineUid, turns, options);
    expect(made?.chunk).toMatchObject({
      type: "annotated",
      kind: "decision",
      firstTurn: 1,
      lastTurn: 2,
      firstSeq: 0,
      lastSeq: 2,
      branch: "main",
      abandoned: false,
    });
    expect(made?.chunk.text).toBe(
      "[NOTE] use Redis\n\n[USER] which cache?\n\n[ASSISTANT] Redis is shared.\n\n[USER] good. Note to Pommel: use Redis",
    );
    expect(made?.terms.prompt).toMatch(/^use Redis\nwhich cache\?/);
    expect(made?.terms.prompt).toMatch(/^use Redis\n/);
  });

  test("from a shell: after the whole conversation", () => {
    expect(buildNoteChunk("use Redis", null, turns, options)?.chunk.text).toMatch(/\[ASSISTANT] Noted\.$/);
    expect(buildNoteChunk("use Redis", null, [], options)).toBeNull();
  });

  test("of a long conversation: its end", () => {
    const long = conversation(
      ...Array.from({ length: 20 }, (_, i) => [
        prompt(`question ${i}`),
        text(`answer ${i} `.repeat(60)),
      ]).flat(),
    );
    const made = buildNoteChunk("n", null, long, options);
    expect(estimateTokens(made?.chunk.text ?? "")).toBeLessThan(650);
    expect(made?.chunk.text).toMatch(/answer 19\s*$/);
    expect(made?.chunk.lastTurn).toBe(20);
  });

  test("in a prompt that is too long: the end of it", () => {
    const made = buildNoteChunk(
      "n",
      null,
      conversation(prompt(`${"long prompt ".repeat(1_000)}the end`)),
      options,
    );
    expect(made?.chunk.text).toMatch(/^\[NOTE] n\n\n\[USER] …[\s\S]*the end$/);
    expect(estimateTokens(made?.chunk.text ?? "")).toBeLessThan(650);
  });

  test("after a fixed error it is an error-fix", () => {
    const mended = conversation(
      prompt("go"),
      ran("npm test", "1 failed", { isError: true }),
      edited("/p/a", "a", "b"),
      text("The root cause was a wrong id."),
    );
    expect(buildNoteChunk("ids are numbers", null, mended, options)?.chunk.kind).toBe("error-fix");
  });
});

describe("the chunks of a summary", () => {
  const about = { firstTurn: 1, upToTurn: 9, startedAt: 1, endedAt: 2, branch: null, files: ["a.ts"] };

  test("one for a short one, which covers no lines", () => {
    const [made, ...more] = buildSummaryChunks({ ...about, text: " We decided on Redis. " }, options);
    expect(more).toEqual([]);
    expect(made?.chunk).toMatchObject({
      type: "summary",
      kind: "decision",
      firstTurn: 1,
      lastTurn: 9,
      firstSeq: null,
      lastSeq: null,
      text: "We decided on Redis.",
      files: ["a.ts"],
    });
    expect(made?.terms).toEqual({ prompt: "", answer: "We decided on Redis.", actions: "", errors: "" });
  });

  test("several for a long one; none for an empty one", () => {
    const text = Array.from({ length: 30 }, (_, i) => `## Part ${i}\n${"words ".repeat(60)}`).join("\n\n");
    const made = buildSummaryChunks({ ...about, text }, options);
    expect(made.length).toBeGreaterThan(2);
    for (const { chunk } of made) expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(800);
    expect(buildSummaryChunks({ ...about, text: " " }, options)).toEqual([]);
  });
});
