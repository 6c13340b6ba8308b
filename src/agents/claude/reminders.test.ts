import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutReminders } from "./message-text.ts";

describe("reminders", () => {
  it("are cut out, each of them", () => {
    const text = "a <system-reminder>x</system-reminder>b<system-reminder>\ny\n</system-reminder> c";
    expect(withoutReminders(text)).toBe("a b c");
  });

  it("never leave one behind, nor take anything else", () => {
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
