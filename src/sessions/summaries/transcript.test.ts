import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  conversation,
  prompt,
  ran,
  read,
  summary,
  text,
  thinking,
} from "../../../test/support/turn-fixture.ts";
import { condenseTranscript } from "./transcript.ts";

describe("condensedTranscript", () => {
  it("names the speakers, and shows tools in a line each", () => {
    const turns = conversation(
      prompt("Fix the parser"),
      thinking("Hm."),
      read("/home/dev/app/src/parser.ts"),
      ran("npm test\n--verbose", "Exit code 1\n1 failed", { isError: true }),
      text("Fixed."),
      summary("It was fixed."),
    );
    expect(condenseTranscript(turns, 1000).split("\n")).toEqual([
      "[USER] Fix the parser",
      "[TOOL] Read /home/dev/app/src/parser.ts",
      "[TOOL] Bash npm test --verbose",
      "[ERROR] Exit code 1 1 failed",
      "[ASSISTANT] Fixed.",
      "[SUMMARY SO FAR] It was fixed.",
    ]);
  });

  it("leaves tools out first", () => {
    const work = Array.from({ length: 50 }, (_, i) => ran(`command ${i} ${"x".repeat(100)}`));
    const found = condenseTranscript(conversation(prompt("Begin"), ...work, text("The end.")), 2000);
    expect(found).toBe("[USER] Begin\n[ASSISTANT] The end.");
  });

  it("leaves the middle out next, and keeps beginning and end", () => {
    const talk = Array.from({ length: 2000 }, (_, i) => prompt(`Prompt ${i} ${"word ".repeat(20)}`));
    const found = condenseTranscript(conversation(...talk), 5000);
    expect(found.length).toBeLessThanOrEqual(5000);
    expect(found.length).toBeGreaterThan(4000);
    expect(found).toContain("[USER] Prompt 0 ");
    expect(found).toContain("[USER] Prompt 1999 ");
    expect(found).toContain("middle of the session is left out");
    expect(found).not.toContain("Prompt 1000 ");
  });

  it("shortens long messages, and leaves abandoned turns out", () => {
    expect(condenseTranscript(conversation(text("y".repeat(50_000))), 40_000).length).toBeLessThan(2100);
    const turns = conversation(prompt("Take the other way"));
    turns[0]!.abandoned = true;
    expect(condenseTranscript(turns, 1000)).toBe("");
  });

  it("never is longer than asked for", () => {
    const happening = fc.oneof(
      fc.string({ maxLength: 4000 }).map(prompt),
      fc.string({ maxLength: 4000 }).map(text),
      fc.string({ maxLength: 400 }).map((command) => ran(command)),
    );
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 20 }),
        fc.integer({ min: 200, max: 5000 }),
        (happenings, most) => {
          expect(condenseTranscript(conversation(...happenings), most).length).toBeLessThanOrEqual(most);
        },
      ),
    );
  });
});
