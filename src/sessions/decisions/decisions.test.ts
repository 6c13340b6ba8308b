import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { findDecisions, type Message, messagesOf } from "./find.ts";
import { isDecision } from "./judge.ts";
import { chosenIn, optionsIn } from "./options.ts";
import { claimOf, relationOf } from "./supersede.ts";

describe("a sentence decides", () => {
  it.each([
    "We decided to keep the queue in SQLite.",
    "`loadFile` now uses `JSON.parse` instead of the streaming parser, so errors name their line.",
    "The cache is intentionally not shared between worktrees.",
    "Keep `Queue` in SQLite rather than in files, because a crash must not lose `jobs`",
  ])("when it names the choice and its object: %j", (sentence) => {
    expect(isDecision(sentence, "answer")).toBe(true);
  });

  it.each([
    "Should we use SQLite instead of files?",
    "<thinking>",
    "Have we decided to keep the queue in SQLite?",
    "I'd recommend option 1 because it is simpler.",
    "Let's do that instead of the other one.",
    "We could use SQLite instead of files for the queue.",
    "The tests now expect two results instead of one.",
    "The bug: it writes to the wrong file instead of the log.",
    "yes, go with it",
  ])("not when it asks, proposes, reports, or points back: %j", (sentence) => {
    expect(isDecision(sentence, "answer")).toBe(false);
    expect(isDecision(sentence, "typed")).toBe(false);
  });

  it("not when an agent announces its next step", () => {
    expect(isDecision("Let me use the parser instead of the regular expression.", "answer")).toBe(false);
  });

  it("when a human who typed it wants it, not when it was pasted", () => {
    const wish = "let's use a lock file instead of a retry for the migration of the queue";
    expect(isDecision(wish, "typed")).toBe(true);
    expect(isDecision(wish, "pasted")).toBe(false);
  });

  it("in bounded time, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 2_000 }),
        (text) => void isDecision(text, "answer"),
      ),
    );
    const start = performance.now();
    for (const text of ["so - ", "`(", '"N ', "a_", "now never "]) {
      isDecision(`${text.repeat(999 / text.length)}`, "typed");
      isDecision(`${text.repeat(20_000)} instead of ${"a".repeat(20_000)}`, "answer");
    }
    // A pattern that is not linear takes minutes for these.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

const said = (...messages: [Message["by"], string][]): string[] =>
  findDecisions(messages.map(([by, text], i) => ({ by, text, turn: i + 1 }))).map(({ text }) => text);

describe("decisions in messages", () => {
  const options =
    "Two ways:\n\n**Option A: a cache in memory**\nFast, but lost on exit.\n\n**Option B: a table in SQLite**\nSurvives a restart.";

  it("is an option's text where one is chosen by its name or key", () => {
    expect(said(["agent", options], ["human", "let's go with option B please"])).toEqual([
      'a table in SQLite: Survives a restart. (chosen: "let\'s go with option B please")',
    ]);
    expect(chosenIn("go with the table", optionsIn(options))?.key).toBe("b");
    expect(said(["agent", options], ["human", "why not option B?"])).toEqual([]);
    expect(said(["human", "let's go with option B"])).toEqual([]);
  });

  it("is no numbered step, unless it is called an option", () => {
    const steps = "Next:\n1. Write the migration of the table\n2. Delete the old files of the queue";
    expect(chosenIn("2", optionsIn(steps))).toBeNull();
    expect(chosenIn("option 2", optionsIn(steps))?.text).toContain("Delete the old files");
  });

  it("is the answer to a client's question, not the next step", () => {
    const answers =
      'User has answered your questions: "Where should the queue live, in files or in SQLite?"="SQLite (Recommended)", "What would you like to do next?"="Start". You can now continue.';
    expect(said(["human", answers])).toEqual([
      "Where should the queue live, in files or in SQLite? → SQLite",
    ]);
  });

  it("is the text under a heading, with the reason that follows, and never a note", () => {
    expect(said(["agent", "## Decision: retries\n\n### Why\n\nThe ledger is slow, so three times."])).toEqual(
      ["Decision: retries: The ledger is slow, so three times."],
    );
    expect(said(["agent", "We decided to retry the upload thrice. Because the ledger is slow."])).toEqual([
      "We decided to retry the upload thrice. Because the ledger is slow.",
    ]);
    expect(said(["human", "Note to Pommel: we decided to retry the upload three times."])).toEqual([]);
  });

  it("is read from the text of a chunk, without tool output", () => {
    const text = "[USER] What now?\n\n[TOOL_RESULT] We decided to fail the build.\n\n[ASSISTANT] Done.";
    expect(messagesOf(text, 3)).toEqual([
      { by: "human", text: "What now?", turn: 3 },
      { by: "agent", text: "Done.", turn: 3 },
    ]);
  });
});

describe("of two decisions the later", () => {
  const relation = (later: string, earlier: string) => relationOf(claimOf(later), claimOf(earlier));

  it.each([
    ["Use files instead of SQLite for the job queue", "Use SQLite for the job queue of the daemon"],
    [
      "Retry the upload five times when the ledger fails",
      "Retry the upload three times when the ledger fails",
    ],
    ["Never retry the failed upload to the ledger", "Retry the failed upload to the ledger"],
    ["Where should the queue live? → SQLite", "Where should the queue live? → Files"],
  ])("contradicts: %j, %j", (later, earlier) => {
    expect(relation(later, earlier)).toBe("contradicts");
  });

  it("repeats, or is about something else", () => {
    const earlier = "Retry the upload three times when the ledger fails";
    expect(relation(`${earlier}.`, earlier)).toBe("repeats");
    expect(relation("Keep the palette of the terminal in one file", earlier)).toBeNull();
    expect(relation("Retry the download three times when the mirror fails", earlier)).toBeNull();
  });
});
