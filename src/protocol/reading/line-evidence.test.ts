import { expect, it } from "vitest";
import { unknownAuthor } from "../../queries/blame/blame-summary.ts";
import { lineEvidence } from "./line-evidence.ts";

const agent = { ...unknownAuthor, author: "agent", confidence: 0.98, said_by: "pommel" } as const;

it("says how sure it is who wrote a line, and of a command only that it ran", () => {
  expect(lineEvidence({ ...agent, basis: "written" })).toBe("98%");
  expect(lineEvidence({ ...agent, basis: "ran" })).toBe("ran a command");
  expect(lineEvidence({ ...agent, author: "human", basis: "alone" })).toBe("98%");
  expect(lineEvidence({ ...agent, said_by: "note" })).toBe("");
  expect(lineEvidence(unknownAuthor)).toBe("");
});
