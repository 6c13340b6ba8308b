import fc from "fast-check";
import type { AttributedLines } from "../../src/attribution/foreign/types.ts";
import { isValidAs } from "../../src/protocol/outside.ts";

/** For tests: attributions of one commit, as the open formats are given them. */

const word = fc.stringMatching(/^[a-z][\w.-]{0,8}$/);
/** Sessions with one tool and one model each. */
const session = fc.record({
  tool: fc.constantFrom("claude", "codex", "gemini", null),
  model: fc.option(fc.constantFrom("claude-opus-4-5", "gpt-5.2", "gemini-3-pro", "a model")),
  session: fc.option(fc.uuid()),
});
const path = fc
  .array(
    fc.stringMatching(/^[^\0\r\n/"]{1,8}$/).filter((part) => part !== "."),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join("/"))
  .filter((made) => isValidAs("file", made));

/** By path and line; neighbours differ in their author. */
export const attributedLines: fc.Arbitrary<AttributedLines[]> = fc
  .tuple(
    fc.uniqueArray(session, {
      minLength: 1,
      maxLength: 3,
      selector: ({ session, tool }) => `${session} ${tool}`,
    }),
    fc.uniqueArray(path, { maxLength: 3 }),
    fc.array(
      fc.record({
        author: fc.constantFrom("agent", "human", "unknown"),
        session: fc.nat(2),
        call: fc.option(word),
        gap: fc.nat(3),
        length: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 12 },
    ),
  )
  .map(([sessions, paths, ranges]) =>
    paths.sort().flatMap((path) => {
      let line = 1;
      const lines: AttributedLines[] = [];
      for (const { author, session, call, gap, length } of ranges) {
        const first = line + gap;
        const last = first + length - 1;
        line = last + 1;
        const who =
          author === "agent"
            ? { author: "agent" as const, ...sessions[session % sessions.length]!, call, person: null }
            : { author: author as "human" | "unknown", ...nobody };
        const before = lines.at(-1);
        if (before && before.last === first - 1 && saying(before) === saying({ ...before, ...who }))
          before.last = last;
        else lines.push({ path, first, last, ...who });
      }
      return lines;
    }),
  );

const nobody = { tool: null, model: null, session: null, call: null, person: null };
const saying = (lines: AttributedLines) => JSON.stringify({ ...lines, first: 0, last: 0 });

/** Line by line: what a reader of the attribution can ask. */
export function byLine(
  lines: readonly AttributedLines[],
  say: (lines: AttributedLines) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    lines.flatMap((range) =>
      Array.from({ length: range.last - range.first + 1 }, (_, i) => [
        `${range.path}:${range.first + i}`,
        say(range),
      ]),
    ),
  );
}
