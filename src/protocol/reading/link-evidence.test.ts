import { expect, it } from "vitest";
import { linkEvidence } from "./link-evidence.ts";

it("says what links a commit with a session, and where that is a guess", () => {
  expect(linkEvidence({ how: "command", confidence: 1 })).toBe("ran git commit");
  expect(linkEvidence({ how: "command", confidence: 0.6 })).toBe("maybe: ran git commit");
  expect(linkEvidence({ how: "lines", confidence: 0.9 })).toBe("wrote lines of it");
  expect(linkEvidence({ how: "lines", confidence: 0.9, lines: 1 })).toBe("wrote 1 line of it");
  expect(linkEvidence({ how: "touched", confidence: 0.6, lines: 0 })).toBe(
    "maybe: changed its files shortly before",
  );
});
