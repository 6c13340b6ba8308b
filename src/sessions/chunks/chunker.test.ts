import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conversation,
  edited,
  fixtureStart,
  type Happening,
  notice,
  pause,
  prompt,
  ran,
  read,
  text,
  thinking,
  used,
  wrote,
} from "../../../test/support/turn-fixture.ts";
import { estimateTokens } from "../../base/text/text-size.ts";
import { groupTurns } from "../ingest/turns.ts";
import type { Turn } from "../turn-content.ts";
import { type ChunkOptions, chunkGroup, type DraftChunk } from "./chunker.ts";
import { buildKindRules } from "./kinds.ts";

const options: ChunkOptions = {
  minTokens: 200,
  maxTokens: 800,
  kinds: buildKindRules(),
  relativize: (path) => path.replace("/p/", ""),
};

function chunks(...happenings: Parameters<typeof conversation>): DraftChunk[] {
  return groupTurns(conversation(...happenings), { minTokens: 200, pauseMinutes: 5 }).flatMap((group) =>
    chunkGroup(group, options),
  );
}

const words = (count: number, word = "word"): string =>
  Array.from({ length: count }, (_, i) => `${word}${i}`).join(" ");

describe("a short conversation", () => {
  const [made, ...more] = chunks(
    { branch: "main" },
    prompt("why does resume fail?"),
    read("/p/src/resume.ts"),
    edited("/p/src/resume.ts", "if (a)", "if (b)"),
    text("It compared the wrong ids."),
  );

  test("is one chunk that names its origin", () => {
    expect(more).toEqual([]);
    expect(made?.chunk).toMatchObject({
      firstTurn: 1,
      lastTurn: 1,
      firstSeq: 0,
      lastSeq: 5,
      type: "raw",
      eventType: "mixed",
      abandoned: false,
      branch: "main",
      startedAt: fixtureStart,
      endedAt: fixtureStart + 5000,
      files: ["src/resume.ts"],
    });
  });

  test("to be read in its order", () => {
    expect(made?.chunk.text).toBe(
      [
        "[USER] why does resume fail?",
        "[TOOL_USE] Read src/resume.ts",
        "[TOOL_USE] Edit src/resume.ts\n[TOOL_RESULT] -if (a)\n+if (b)",
        "[ASSISTANT] It compared the wrong ids.",
      ].join("\n\n"),
    );
  });

  test("found by streams", () => {
    expect(made?.terms.prompt).toBe("why does resume fail?");
    expect(made?.terms.answer).toBe("It compared the wrong ids.");
  });
});

test("what kind of event", () => {
  const eventTypes = (...happenings: Happening[]) =>
    chunks(...happenings).map(({ chunk }) => chunk.eventType);
  expect(eventTypes(prompt("a"))).toEqual(["user_prompt"]);
  expect(eventTypes(text("a"))).toEqual(["assistant"]);
  expect(eventTypes(ran("ls"))).toEqual(["tool_use"]);
  expect(eventTypes(prompt("a"), text("b"))).toEqual(["mixed"]);
});

test("nothing that says something makes no chunk", () => {
  expect(chunks(thinking("hm"), notice("[Request interrupted by user]"), text("  "))).toEqual([]);
  expect(chunkGroup([], options)).toEqual([]);
});

test("a long turn is cut where the agent begins another step, and its prompt is in the first chunk only", () => {
  const step = (i: number): Happening[] => [text(`Step ${i}: ${words(120)}`), ran(`make step${i}`, "done")];
  const made = chunks(prompt("build all of it"), ...[1, 2, 3, 4, 5, 6].flatMap(step));
  expect(made.length).toBeGreaterThan(1);
  for (const { chunk } of made.slice(1)) expect(chunk.text).toMatch(/^\[ASSISTANT] Step \d/);
  expect(made.filter(({ terms }) => terms.prompt !== "")).toHaveLength(1);
});

test("a message that is longer than a chunk is split between its paragraphs", () => {
  const paragraphs = Array.from({ length: 12 }, (_, i) => words(60, `p${i}w`));
  const made = chunks(prompt("explain"), text(paragraphs.join("\n\n")));
  expect(made.length).toBeGreaterThan(1);
  for (const paragraph of paragraphs)
    expect(made.some(({ chunk }) => chunk.text.includes(paragraph))).toBe(true);
  for (const { chunk } of made.slice(1)) expect(chunk.text).toMatch(/^\[ASSISTANT] /);
});

test("turns that the user went back behind are not mixed with others", () => {
  const turns = conversation(prompt("a"), text("b"), prompt("c"), text("d"), prompt("e"));
  const abandoned = turns.map((turn) => ({ ...turn, abandoned: turn.number === 2 }));
  const made = chunkGroup(abandoned, options);
  expect(made.map(({ chunk }) => [chunk.firstTurn, chunk.lastTurn, chunk.abandoned])).toEqual([
    [1, 1, false],
    [2, 2, true],
    [3, 3, false],
  ]);
});

test("sizes can be chosen", () => {
  const turns = conversation(prompt("a"), ran("ls", words(500)), text(words(300)));
  for (const { chunk } of chunkGroup(turns, { ...options, minTokens: 20, maxTokens: 60 }))
    expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(90);
});

test("60 KB of output are not what is found", () => {
  const [made] = chunks(prompt("show it"), ran("node dump.js", "noise in the output\n".repeat(3_000)));
  expect(JSON.stringify(made?.terms)).not.toContain("noise");
  expect(made?.chunk.text.length).toBeLessThan(500);
});

let counter = 0;
/** Words that occur once, so that nothing can be lost unnoticed. */
const saying = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(" ", "\n", "\n\n", ". "))
  .map(([count, joint]) => Array.from({ length: count }, () => `w${counter++}x`).join(joint));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: saying.map((said) => prompt(said)) },
  { weight: 4, arbitrary: saying.map((said) => text(said)) },
  { weight: 1, arbitrary: saying.map((said) => ran("npm test", said)) },
  { weight: 1, arbitrary: saying.map((said) => ran("npm test", said, { isError: true })) },
  { weight: 1, arbitrary: saying.map((said) => wrote("/p/a.ts", said)) },
  { weight: 1, arbitrary: saying.map((said) => edited("/p/b.ts", said, "new")) },
  { weight: 1, arbitrary: saying.map((said) => used("ExitPlanMode", { plan: said }, "approved")) },
  { weight: 1, arbitrary: fc.constant("/p/c.ts").map((path) => read(path)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((minutes) => pause(minutes)) },
);
const conversations = fc.array(happening, { maxLength: 25 }).map((happenings) => conversation(...happenings));
const sizes = fc.constantFrom({ minTokens: 200, maxTokens: 800 }, { minTokens: 40, maxTokens: 100 });

function chunksOf(turns: readonly Turn[], made: ChunkOptions): DraftChunk[][] {
  return groupTurns(turns, { minTokens: made.minTokens, pauseMinutes: 5 }).map((group) =>
    chunkGroup(group, made),
  );
}

describe("any conversation", () => {
  test("chunks are neither too long nor out of order", () => {
    fc.assert(
      fc.property(conversations, sizes, (turns, size) => {
        const made = chunksOf(turns, { ...options, ...size }).flat();
        for (const { chunk } of made) {
          expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(size.maxTokens * 1.5);
          expect(chunk.firstTurn).toBeLessThanOrEqual(chunk.lastTurn);
        }
        const seqs = made.map(({ chunk }) => chunk.firstSeq ?? -1);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }),
    );
  });

  test("no word of prompts and answers is lost, and each is in one chunk", () => {
    fc.assert(
      fc.property(conversations, sizes, (turns, size) => {
        const said = turns
          .flatMap(({ lines }) => lines.flatMap(({ entries }) => entries))
          .flatMap((entry) => {
            if (entry.kind === "prompt" || entry.kind === "text") return [entry.text];
            return entry.kind === "tool_use" && typeof entry.input.plan === "string"
              ? [entry.input.plan]
              : [];
          })
          .flatMap((each) => each.match(/w\d+x/g) ?? []);
        const found = chunksOf(turns, { ...options, ...size })
          .flat()
          .flatMap(({ terms }) => `${terms.prompt} ${terms.answer}`.match(/w\d+x/g) ?? []);
        expect(found.toSorted()).toEqual(said.toSorted());
      }),
    );
  });

  test("every line that is shown is covered", () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const covered = new Set<number>();
        for (const { chunk } of chunksOf(turns, options).flat())
          for (let seq = chunk.firstSeq ?? 0; seq <= (chunk.lastSeq ?? -1); seq++) covered.add(seq);
        expect(covered.size).toBe(turns.reduce((sum, { lines }) => sum + lines.length, 0));
      }),
    );
  });

  test("reading line by line ends with the same chunks", () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const groups: { turns: Turn[]; made: DraftChunk[] }[] = [];
        for (const turn of turns) {
          for (let end = 1; end <= turn.lines.length; end++) {
            const last = (groups.pop()?.turns ?? []).filter(({ number }) => number !== turn.number);
            const grown = groupTurns([...last, { ...turn, lines: turn.lines.slice(0, end) }], {
              minTokens: 200,
              pauseMinutes: 5,
            });
            for (const group of grown) groups.push({ turns: group, made: chunkGroup(group, options) });
          }
        }
        expect(groups.map(({ made }) => made)).toEqual(chunksOf(turns, options));
      }),
      { numRuns: 20 },
    );
  });
});
