import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { allLevels, chunk } from "../../../test/support/chunk-fixture.ts";
import { runs } from "../../../test/support/runs.ts";
import { levels } from "../../base/levels.ts";
import { listIdentifiers, makeTokenStream } from "../../base/text/tokens.ts";
import { languages } from "../languages/index.ts";

/** Pieces of many languages: strung together they are nearly code, which is harder than noise. */
const piece = fc.constantFrom(
  ..."class A|def f|function g|fn h|func k|(a, b)|{|}|(|)|[|]|:|;|,|=>| = |end|do |\n|\n\n|\r\n|\n    |\t|  ".split(
    "|",
  ),
  ...'# c\n|// c\n|/** d */\n|/*|*/|"""|\'|"|`|@x\n|#[a]\n|--- y\n|import z|return 1|x.y|::|<T>|impl B|struct S|if x |\u{1F600}|é|\uD800|\u2028|<?php |\0|#ifdef X|#else|#endif|LIB_API |\n\n|\n\nfun g() {}|\n\nint h(void) {}'.split(
    "|",
  ),
);
const nearlyCode = fc.array(piece, { maxLength: 80, size: "max" }).map((pieces) => pieces.join(""));
const source = fc.oneof(
  { weight: 3, arbitrary: nearlyCode },
  // Long enough to be cut.
  {
    weight: 2,
    arbitrary: fc.tuple(nearlyCode, fc.integer({ min: 5, max: 40 })).map(([text, n]) => text.repeat(n)),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
);
const ids = [...languages.map(({ id }) => id), "markdown", "text"];

describe.each(ids)("whatever is taken for %s", (language) => {
  test("gives chunks that fit together", async () => {
    await fc.assert(
      fc.asyncProperty(source, async (text) => {
        const { chunks, symbols, lines } = await chunk("src/any.thing", language, text);
        const byId = new Map(chunks.map((each) => [each.id, each]));
        expect(byId.size).toBe(chunks.length);
        expect(chunks.filter(({ level }) => level === "file")).toHaveLength(1);
        expect(chunks[0]).toMatchObject({ level: "file", parentId: null, startLine: 1, endLine: lines });
        chunks.forEach(({ parentId, startLine, endLine }, i) => {
          expect(startLine).toBeLessThanOrEqual(endLine);
          if (i === 0) return;
          const parent = byId.get(parentId!)!;
          expect(parent.startLine).toBeLessThanOrEqual(startLine);
          expect(parent.endLine).toBeGreaterThanOrEqual(endLine);
        });
        for (const { name, line, chunkId } of symbols) {
          expect(name).not.toBe("");
          const holder = byId.get(chunkId)!;
          expect(holder.startLine).toBeLessThanOrEqual(line);
          expect(holder.endLine).toBeGreaterThanOrEqual(line);
        }
      }),
      { numRuns: runs(15) },
    );
  });

  test("is found in some chunk, each word of it, whatever the levels", async () => {
    const someLevels = fc
      .subarray(levels.filter((level) => level !== "file"))
      .map((some) => new Set(["file", ...some] as const));
    await fc.assert(
      fc.asyncProperty(source, someLevels, async (text, wanted) => {
        const { chunks } = await chunk("src/any.thing", language, text, { levels: wanted, withText: false });
        const found = new Set(
          chunks.flatMap(({ terms }) => `${terms.name} ${terms.head} ${terms.body}`.split(" ")),
        );
        const words = listIdentifiers(text).map((word) => makeTokenStream(word).split(" ")[0]);
        expect(words.filter((word) => word !== "" && !found.has(word!))).toEqual([]);
      }),
      { numRuns: runs(10) },
    );
  });

  test("gives the same every time", async () => {
    await fc.assert(
      fc.asyncProperty(source, async (text) => {
        const once = await chunk("src/any.thing", language, text, allLevels);
        expect(await chunk("src/any.thing", language, text, allLevels)).toEqual(once);
      }),
      { numRuns: runs(5) },
    );
  });
});
