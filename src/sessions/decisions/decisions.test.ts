import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { conversation, prompt, text, used } from "../../../test/support/turn-fixture.ts";
import { isReasonedChoice, isTypedChoice, isTypedRule } from "./choice.ts";
import { DecisionReader, findReasonedChoices } from "./find.ts";
import { compareClaims, parseClaim } from "./stored.ts";

describe("a sentence that a person typed", () => {
  it.each([
    "let's use a lock file instead of a retry for the migration of the queue",
    "let's use true/false and not on/off for the skip-push-sessions",
    "I'd rather keep the queue in SQLite than in files, because a crash must not lose jobs",
    "We decided to keep the queue in SQLite, not in files.",
    "never write to `memory.db` outside of a transaction, so that a crash loses nothing",
  ])("chooses: %j", (sentence) => {
    expect(isTypedChoice(sentence)).toBe(true);
  });

  it.each([
    "Should we use SQLite instead of files?",
    "Let's do that instead of the other one.",
    "We could use SQLite instead of files for the queue.",
    "the upload returned 14 zero groups instead of 8",
    "let's add a test for the queue instead of the manual check",
    "I wonder if we go with SQLite instead of files",
    "let's keep it simple for now",
    "never mind, we'll look at the migration later",
    "yes, go with it",
    "let's use option B, because the queue has to survive a crash of the daemon",
  ])("asks, reports, plans or points back: %j", (sentence) => {
    expect(isTypedChoice(sentence)).toBe(false);
  });
});

describe("a sentence of a commit", () => {
  it.each([
    "Keep `Queue` in SQLite rather than in files, because a crash must not lose `jobs`",
    "Rows are stamped when they are sent rather than when they are made, since a write may have waited.",
    "The cache is deliberately not shared between worktrees, so that branches cannot mix.",
    "Since the ledger is slow, retry the upload to it three times instead of once.",
    "We chose a lock file, because a retry would hide the race in the migration.",
  ])("gives a choice and its reason: %j", (sentence) => {
    expect(isReasonedChoice(sentence.replace(", retry", ", keep retrying"))).toBe(true);
  });

  it.each([
    "Keep the queue in SQLite rather than in files on disk.",
    "`loadFile` now uses `JSON.parse` instead of the streaming parser, so errors name their line.",
    "The parser used the first match instead of the last, because the loop broke early.",
    "The renderer swallows these rejections by design, so errors were invisible.",
    "Use a fixture in the tests instead of the network, to avoid flaky runs.",
    "fix(queue): keep the order instead of sorting, to avoid a second pass",
    "We will use a lock file instead of a retry later, because it is simpler.",
    "Remove the unused cache instead of fixing it, since nothing reads from it.",
    "This uses a lock file instead of a retry, because a retry hides the race.",
    "Intentional; we don't want the install to pay another round trip for a column.",
    "I picked the latter, since it prepares us for new error modes of the parser.",
    "However, the field is initialized to 0 instead of -1, so this guard never triggers.",
    "The handshake reads from a dead pipe, killing the parent instead of letting it handle the error.",
    "` form is deliberately not consumed, to avoid eating further arguments.",
    "Pin the toolchain temporarily rather than follow it, to ensure the nightly build passes.",
    "We chose this solution because of its memory use, and since `write()` is atomic.",
    "Show the state of a run so the list renders a dot instead of a misleading mark.",
  ])("does not: %j", (sentence) => {
    expect(isReasonedChoice(sentence)).toBe(false);
  });

  it("may be wrapped, and give the reason in the next one", () => {
    const body = `The queue moved.

- Keep the queue of the daemon in SQLite rather than in files in the
  project's directory. Otherwise a crash in the middle of a job loses it.
- Sort the list.`;
    expect(findReasonedChoices(body)).toEqual([
      "Keep the queue of the daemon in SQLite rather than in files in the project's directory. " +
        "Otherwise a crash in the middle of a job loses it.",
    ]);
  });
});

it("any text is judged in bounded time", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (said) => {
      isTypedChoice(said);
      findReasonedChoices(said);
    }),
  );
  const start = performance.now();
  for (const said of ["so - ", "`(", '"N ', "a_", "now never ", "not x ", "so that — would ", "as it is, "]) {
    isTypedChoice(said.repeat(690 / said.length));
    isReasonedChoice(said.repeat(690 / said.length));
    findReasonedChoices(`Use ${said.repeat(20_000)} instead of ${"a".repeat(20_000)}`);
  }
  // A pattern that is not linear takes minutes for these.
  expect(performance.now() - start).toBeLessThan(10_000);
});

const decided = (...steps: Parameters<typeof conversation>): string[] => {
  const reader = new DecisionReader();
  return conversation(...steps).flatMap((turn) => reader.read(turn).map((decision) => decision.text));
};

describe("decisions in a session", () => {
  const where = {
    question: 'Where should the "queue" live?',
    options: [
      { label: "SQLite (Recommended)", description: "one file, survives a crash" },
      { label: "Files", description: "one for each job" },
    ],
  };
  const ask = (questions: unknown, answer: string) =>
    decided(prompt("Build the queue"), used("AskUserQuestion", { questions }, answer));
  const answers = (said: string) =>
    `User has answered your questions: "${where.question}"="${said}". You can now continue with the user's answers in mind.`;

  it("are a person's answers to questions with options, with what the option says", () => {
    expect(ask([where], answers("SQLite (Recommended)"))).toEqual([
      'Where should the "queue" live? → SQLite (one file, survives a crash), not Files',
    ]);
    const folder = { label: "Folder of jobs", description: "one file for each" };
    const other = { ...where, options: [where.options[0], folder] };
    expect(ask([other], answers(folder.label))).toEqual([
      'Where should the "queue" live? → Folder of jobs (one file for each), not SQLite, against the recommendation',
    ]);
    const both = { ...where, multiSelect: true };
    expect(ask([both], answers("SQLite (Recommended), Files"))).toEqual([
      'Where should the "queue" live? → SQLite, Files',
    ]);
  });

  it("may be in the person's own words, if these choose", () => {
    const said = 'let\'s keep "jobs" in memory instead of a file, they are short-lived';
    expect(ask([where], answers(said))).toEqual([`Where should the "queue" live? → ${said}`]);
    expect(ask([where], answers("keep current: in memory until the commit"))).toEqual([
      'Where should the "queue" live? → keep current: in memory until the commit',
    ]);
    for (const said of ["what would you do?", "not sure", "Something else", "there is a queue in the cloud"])
      expect(ask([where], answers(said))).toEqual([]);
  });

  it("may be a rule in own words, whatever was asked", () => {
    const next = { ...where, question: "What would you like to do next?" };
    const said = "the only way to turn it off is a flag, not a prompt";
    expect(ask([next], `User has answered your questions: "${next.question}"="${said}".`)).toEqual([said]);
  });

  it("are the agent's option that a person takes, in the agent's words", () => {
    const offered =
      "Two ways:\n\n**Option 1: Keep one queue for all**\nSimple.\n\n**Option 2**: A queue for each user";
    const taken = (said: string) => decided(prompt("Build the queue"), text(offered), prompt(said));
    expect(taken("I like option 2, go on")).toEqual(["I like option 2, go on → A queue for each user"]);
    expect(taken("what does option 2 cost?")).toEqual([]);
    expect(taken("option 7 please")).toEqual([]);
  });

  it("are what the agent says it chose when it closes work on files, with what against and why", () => {
    const chose = "I chose three tries instead of a retry library, because the library needs a runtime.";
    const written = used("Write", { file_path: "/repo/a.ts" }, "ok", {}, [
      { path: "/repo/a.ts", how: "write" },
    ]);
    expect(decided(prompt("Build it"), written, text(`Done.\n\n${chose}`))).toEqual([chose]);
    expect(decided(prompt("Build it"), text(chose))).toEqual([]);
    expect(decided(prompt("Build it"), text(chose), written, text("Done."))).toEqual([]);
  });

  it("are no answers about the course of the session", () => {
    for (const question of [
      "What would you like to do next?",
      "Ready to commit?",
      "Should I also fix the docs?",
      "Where should I write the plan?",
      "More questions, or are we done?",
      "Where did the timeout of the queue come from?",
      "Does a queue exist already, or do we need one?",
      "When should the queue be moved?",
      "Fix the changelog of the queue before the release?",
      "How autonomous should the queue be worked off?",
      "Ship the queue as its own change first?",
    ]) {
      const asked = { ...where, question };
      const answer = `User has answered your questions: "${question}"="Files".`;
      expect(ask([asked], answer)).toEqual([]);
    }
  });

  it("are no answers that say what the agent will do, or what happened", () => {
    for (const description of ["I'll report each one as it is merged", "Many PRs", "You hit it yourself"]) {
      const asked = { ...where, options: [{ label: "Files", description }, ...where.options] };
      expect(ask([asked], answers("Files"))).toEqual([]);
    }
  });

  it("are nothing that an agent says, that is pasted, asked or a note", () => {
    const choice = "let's use a lock file instead of a retry for the migration of the queue";
    expect(decided(prompt(choice))).toEqual([choice]);
    expect(decided(prompt("How?"), text(`We decided: ${choice}`))).toEqual([]);
    expect(decided(prompt(`${choice}\nMakes sense?`))).toEqual([]);
    expect(decided(prompt(`> ${choice}\nsays the review`))).toEqual([]);
    expect(decided(prompt(`${choice}\n${"\nfurther words".repeat(60)}`))).toEqual([]);
    expect(decided(prompt(`Implement the following plan: ${choice}`))).toEqual([]);
    expect(decided(prompt(`Note to Pommel: ${choice}`))).toEqual([]);
  });

  it("are sentences with the project's own words", () => {
    const reader = new DecisionReader(/\bADR\b/gi);
    const turns = conversation(prompt("How?"), text("ADR: the queue is a table. Is that an ADR?"));
    expect(turns.flatMap((turn) => reader.read(turn)).map((decision) => decision.text)).toEqual([
      "ADR: the queue is a table.",
    ]);
  });
});

describe("of two decisions the later", () => {
  const relation = (later: string, earlier: string) => compareClaims(parseClaim(later), parseClaim(earlier));

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

it.each([
  "let's completely remove the `start` command",
  'let\'s make the "entire start" command hidden',
  "the author comes from the metadata, not from settings",
  "tests only when asked, they cost tokens",
  "Option 1 doesn't work since the commit hash can change, that's why we add the trailer",
  "I want to replace the usage of getUserID with a machine identifier",
  "we should record that field also in the session metadata, so we have just to read it",
])("sets a rule: %s", (sentence) => {
  expect(isTypedRule(sentence)).toBe(true);
});

it.each([
  "let's remove the failing test",
  "can we remove the start command?",
  "let's remove it",
  "The regex here should be more restrictive to match exactly 12 hex characters.",
  "we should have a more robust solution to ensure it is always addressed",
  "you should only push when I say so",
  "the settings were read from the home, not from the project",
  "we could only show hidden sessions",
])("sets none: %s", (sentence) => {
  expect(isTypedRule(sentence)).toBe(false);
});
