import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutReminders } from "./message-text.ts";

describe("reminders", () => {
  it("are all removed", () => {
    const text = "a <system-reminder>x</system-reminder>b<system-reminder>\ny\n</system-reminder> c";
    expect(withoutReminders(text)).toBe("a b c");
  });

  it("are removed completely, and nothing else", () => {
    const piece = fc.constantFrom("<system-reminder>", "</system-reminder>", "a", "b ", "\n");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = withoutReminders(pieces.join(""));
        expect(/<system-reminder>[\s\S]*<\/system-reminder>/.test(text)).toBe(false);
        if (!pieces.includes("<system-reminder>")) expect(text).toBe(pieces.join(""));
      }),
    );
  });
});
