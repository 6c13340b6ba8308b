import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../test/support/any-text.ts";
import { stripInvisible } from "../base/text/quotation.ts";
import { formatMinute, shortenToLine } from "./text.ts";

describe("clean", () => {
  it("removes characters that a terminal or a reader would obey", () => {
    expect(stripInvisible("a\u001b[31mred\u001b[0m b")).toBe("ared b");
    expect(stripInvisible("\u001b]0;title\u0007x\u001b]8;;http://e\u001b\\link")).toBe("xlink");
    expect(stripInvisible("a\u0000b\u0007c\u202ed\u200be\u{e0041}f")).toBe("abcdef");
  });

  it("keeps lines, tabs and other languages", () => {
    expect(stripInvisible("a\tb\r\nc — ü 漢 👩‍💻")).toBe("a\tb\nc — ü 漢 👩‍💻");
  });

  it("leaves no control character, whatever is in the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(stripInvisible(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe("cutting", () => {
  it("makes one line of at most so many characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 2, max: 60 }), (text, longest) => {
        const line = shortenToLine(text, longest);
        expect(line.length).toBeLessThanOrEqual(longest);
        expect(line).not.toContain("\n");
      }),
    );
  });
});

it("puts times into few characters", () => {
  expect(formatMinute("2026-01-31T14:05:33.000Z")).toBe("2026-01-31 14:05Z");
});
