import { describe, expect, it } from "vitest";
import { unknownAuthor } from "../line-author.ts";
import type { Coverage } from "../results.ts";
import {
  adviseOn,
  describeCertainty,
  describeLineEvidence,
  describeNothingYet,
  describeUse,
  isCall,
  linkEvidence,
  nameInFull,
} from "./evidence.ts";

describe("an edge", () => {
  it("says how sure it is, behind whatever else is said of it", () => {
    expect(describeCertainty({ confidence: "resolved", candidates: 1 })).toBe("");
    expect(describeCertainty({ confidence: "ambiguous", candidates: 3 })).toBe(" (1 of 3)");
    expect(describeCertainty({ confidence: "resolved", candidates: 1 }, "type")).toBe(" (type)");
    expect(describeCertainty({ confidence: "unique", candidates: 1 }, "type")).toBe(" (type, unique)");
  });

  it("says how its end is used where that is no call", () => {
    expect(describeUse({ how: "call", confidence: "unique", candidates: 1 })).toBe(" (unique)");
    expect(describeUse({ how: "base", confidence: "ambiguous", candidates: 2 })).toBe(" (base, 1 of 2)");
  });

  it("names its end with the type that it is in", () => {
    expect(nameInFull({ name: "fetch", parent: "Hono", kind: "method" })).toBe("Hono.fetch");
    expect(nameInFull({ name: "compose", parent: null, kind: "function" })).toBe("compose");
    expect(nameInFull({ name: "app.ts", parent: null, kind: "file" })).toBe("app.ts");
  });

  it("is a call only where code runs", () => {
    const kinds = ["call", "construct", "base", "use", "type"] as const;
    expect(kinds.filter((how) => isCall({ how }))).toEqual(["call", "construct"]);
  });
});

const agent = { ...unknownAuthor, author: "agent", confidence: 0.98, said_by: "pommel" } as const;

describe("an answer from what is not complete", () => {
  const files: Coverage = { of: "files", done: 601, total: 5012, files_read: 5012 };
  const commits: Coverage = { of: "commits", done: 12, total: 300 };

  it("says what it is from, whatever the verdict", () => {
    expect(adviseOn({ verdict: "not_yet", coverage: files })).toBe(
      "From the text of 5,012 files; the index is 11 % done.",
    );
    expect(adviseOn({ verdict: "not_yet", coverage: { ...files, done: null, files_read: 1 } })).toBe(
      "From the text of 1 file.",
    );
    expect(adviseOn({ verdict: "maybe", coverage: commits })).toBe(
      "Maybe: these come closest; check whether they answer it. 12 of 300 commits are read.",
    );
    expect(adviseOn({ verdict: "found" })).toBeNull();
  });

  it("says of nothing what that is true of", () => {
    expect(describeNothingYet(files)).toBe(
      "None of 5,012 files contains these words yet: the index, which also finds by meaning, is 11 % done.",
    );
    expect(describeNothingYet(commits)).toBe("Nothing yet: 12 of 300 commits are read.");
  });
});

it("says how sure it is who wrote a line, and of a command only that it ran", () => {
  expect(describeLineEvidence({ ...agent, basis: "written" })).toBe("98%");
  expect(describeLineEvidence({ ...agent, basis: "ran" })).toBe("ran a command");
  expect(describeLineEvidence({ ...agent, author: "human", basis: "alone" })).toBe("98%");
  expect(describeLineEvidence({ ...agent, said_by: "note" })).toBe("");
  expect(describeLineEvidence(unknownAuthor)).toBe("");
});

it("says what links a commit with a session, and where that is a guess", () => {
  expect(linkEvidence({ how: "command", confidence: 1 })).toBe("ran git commit");
  expect(linkEvidence({ how: "command", confidence: 0.6 })).toBe("maybe: ran git commit");
  expect(linkEvidence({ how: "lines", confidence: 0.9 })).toBe("wrote lines of it");
  expect(linkEvidence({ how: "lines", confidence: 0.9, lines: 1 })).toBe("wrote 1 line of it");
  expect(linkEvidence({ how: "touched", confidence: 0.6, lines: 0 })).toBe(
    "maybe: changed its files shortly before",
  );
});
