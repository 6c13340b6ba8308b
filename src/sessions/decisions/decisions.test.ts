import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { conversation, prompt, text, used } from "../../../test/support/turn-fixture.ts";
import { WordPattern } from "../chunks/word-pattern.ts";
import choice from "./choice.json" with { type: "json" };
import { isPreference, isReasonedChoice, isSettledInPassing, isTypedChoice, isTypedRule } from "./choice.ts";
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
    "i thought we don't need the migration because of the settings of the queue",
    "never mind, we'll look at the migration later",
    "yes, go with it",
    "let's use option B, because the queue has to survive a crash of the daemon",
  ])("asks, reports, plans or points back: %j", (sentence) => {
    expect(isTypedChoice(sentence)).toBe(false);
  });
});

describe("a sentence with what a person prefers", () => {
  it.each([
    "For the server, my philosophy is to implement the full api and let the user decide",
    "No, I want to use the login because I have a subscription",
    "I want JSON first, YAML second, TOML last.",
    "We won't publish the chart until the network of the fleet is closed.",
    "never make draft prs",
    "i just want the package step to be a dry run",
    "I think there should be an option to disable it and have lock files inside",
    "the shortname column is not useful and causes merge conflicts so remove it from all pages",
    "switch the lockfile back to a.example from b.example",
    "we will need to use trusted publishing for the next ones",
    "i think we should just add all of these in, and without deprecation warnings",
  ])("says so: %j", (sentence) => {
    expect(isPreference(sentence)).toBe(true);
  });

  it.each([
    "I want to know what the fleet does because it is slow",
    "we won't need that until tomorrow?",
    "I really want to see the list",
    "never mind, let me look at the list first",
    "I think we should add a test without a fixture?",
  ])("asks for work, or for words: %j", (sentence) => {
    expect(isPreference(sentence)).toBe(false);
  });
});

describe("a sentence that is typed in passing", () => {
  it.each(choice.settlesInPassing)("has the form of its examples: $says", ({ says, pattern }) => {
    // A name from the code stands for any.
    for (const one of says) expect(one.replace(/\b\w+_\w+\b/, "N")).toMatch(new RegExp(pattern, "i"));
  });

  it.each([
    "and we don't need backward compatibility, that makes things complicated",
    "also i don't think we need push_conflict_policy, default is just block",
    "we should call ours max_concurrency as well to be consistent.",
    "so maybe it's better to start with sqlite than with elasticsearch",
    "force_push should be hard deprecated",
    "ok lets rename to run_manifest, spawn a worker then",
    "i think we can remove workspace from core and use extensions which are more general",
    "we are going to adopt promptfoo's contract for evals",
    "given the privacy of the app, I think its better not to store names in local storage.",
    "Remove Willow from our settings as we are using another one entirely now",
    "please remove the eval package since it is replaced by the sdk",
    "remove any plugin that isn't opencode or sidekick",
    "No I want you to replace opencode with the fork, and keep the plugins",
    "I would like to use one common client id for local and staging",
    "Since you already have `doctl` access just use Spaces",
    "Okay lets do that and use M-e and leave the others in place",
    "I don't want rounded edges, i just want them to be straight",
    "It doesnt have to match my editor, i just want some form of highlighting",
  ])("settles: %j", (sentence) => {
    expect(isSettledInPassing(sentence, 200)).toBe(true);
    expect(isSettledInPassing(sentence, 2000)).toBe(false);
  });

  it.each([
    "oh yeah we don't need any of that any more.",
    "we don't need to commit this",
    "do we need an alias for the old name?",
    "is it better to start with sqlite than with elasticsearch?",
    "we don't need more tests for the queue of jobs",
    "remove it as you are using the wrong one",
    "I don't want to wait, I just want it to be over",
  ])("settles nothing: %j", (sentence) => {
    expect(isSettledInPassing(sentence, 200)).toBe(false);
  });
});

it.each(["I don't have anything to add", "no, I dont have such, let it be surprise"])(
  "that a person has nothing settles nothing: %j",
  (said) => {
    const turns = conversation(prompt("Plan it"), text("Who is it for?"), prompt(said));
    const reader = new DecisionReader();
    expect(turns.flatMap((turn) => reader.read(turn))).toEqual([]);
  },
);

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

  it("are a person's answers by number to the agent's numbered questions, and what it recommends where they agree", () => {
    const asked = `Please answer:

1. **Execution:** Should the app:
   - **Hybrid (recommended):** run locally or in the cloud;
   - Run everything locally?

2. **Account:** Should local mode work without an account?

3. **Server:** Should it allow other servers? Recommended initially: the official service only.

4. **Platform:** Should I also fix the docs?

5. **Logs:** Must logs be kept?

Which of these is clear?`;
    const answered = (reply: string) => decided(prompt("Plan the app"), text(asked), prompt(reply));
    expect(answered("1. Hybrid\n2. No, need an account\n3. Yes recommended\n4. yes do\n5. Ideally")).toEqual([
      "Execution: Should the app? → Hybrid",
      "Account: Should local mode work without an account? → No, need an account",
      "Server: Should it allow other servers? → the official service only",
    ]);
    expect(answered("1. what does that cost?\n2. not sure")).toEqual([]);
  });

  it("are the one of two that an agent asked about", () => {
    const asked = "It is mapped.\n\nShould the shortcut be fn or the right control key?";
    const answered = (reply: string) => decided(prompt("Map it"), text(asked), prompt(reply));
    expect(answered("right control key")).toEqual([
      "Should the shortcut be fn or the right control key? → right control key",
    ]);
    for (const none of ["yes", "what is the control key?", "start the app", "is fn a key?"])
      expect(answered(none)).toEqual([]);
    const explained = `${asked} The caps lock is taken.`;
    expect(decided(prompt("Map it"), text(explained), prompt("right control key"))).toHaveLength(1);
    for (const ofTheWork of [
      "Want this folded into the proposal, or straight into a plan?",
      "Who is the first user, a developer or a team?",
    ])
      expect(decided(prompt("Map it"), text(ofTheWork), prompt("straight into a plan for a team"))).toEqual(
        [],
      );
  });

  it("are nothing that a person pastes of what the agent said", () => {
    const said = "Keep the workflow centered around buffers rather than terminal sessions";
    expect(decided(prompt("Compare"), text(`- ${said}.`), prompt(`${said} Is that so?`))).toEqual([]);
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

  it.each([
    "use uv as the package manager",
    "Remove the intel release for macOS.",
    "remove logging to leeson.log.",
    "I'm in favor of a render endpoint, but without the binary.",
    "I want the instructions to live in AGENTS.md, not in a skill.",
    "I would call configured_language languages and NewConfiguredLanguage NewLanguage",
    "Instead of adding another language, add this to the examples of the generic segment.",
    "I only want to keep the MSIX package as of now.",
    "docker isn't relevant, we can solve that with the runners of the forge.",
    "We also no longer publish to the store, so that can also be dropped.",
    "I want that default theme to be the one that is rendered on the page.",
    "full schema should not be updated ever, it is a point in time snapshot.",
    "internal changes are never breaking changes, only configuration behaviour is.",
    "I do not need to see the traces in the terminal.",
    "Links work, but the map should get coordinates of the device, not a device name.",
    "Use only the time and not the full date unless a session takes longer than a day",
    "Tool calls should not directly follow the message of a user.",
    "Details should not have raw transcript content",
    "Get rid of the Recovery view since its options are exposed as commands.",
    "Use vscode version 1.105.0",
    "Code standard: every new file has a comment citing the number of its ticket",
    "Nothing should be hardcoded so we can make them work on each device.",
    "After the build completed disable the archive feature to prevent this on restarts.",
  ])("are orders in few words that are no usual task: %s", (said) => {
    expect(decided(prompt(said))).toEqual([said]);
  });

  it.each([
    "Remove the unused imports.",
    "use the branch for the PR",
    "I do not want to commit yet.",
    "can you remove the button for now",
    "fix the tests for the parser",
    "Use this for the header",
    "In the repository the workflow of the linter globs files of one kind only, so that the pages of the site and their parts are never linted in CI.",
  ])("are no tasks: %s", (said) => {
    expect(decided(prompt(said))).toEqual([]);
  });

  it("are options that are numbered in a list, and what introduces something pasted", () => {
    expect(
      decided(
        prompt("How?"),
        text("Two ways:\n\n1. **Poll the queue** every second\n2. **Wait for events** of the watcher"),
        prompt("Option 2 seems best."),
      ),
    ).toEqual(["Option 2 seems best. → Wait for events of the watcher"]);
    const rule = "links should always go to the map, not to the API, which has no tracks";
    expect(decided(prompt(`${rule}. See:\n${"pasted words ".repeat(60)}`))).toEqual([`${rule}.`]);
  });

  it("are options that a person takes by number, letter or name, in any of the first sentences", () => {
    const offered =
      "Which of the options do you prefer?\n\n" +
      "1. **Poll the queue** every second\n- **B) Wait for events** of the watcher\n" +
      "| Option C | read the log |\n### Option D (lazy) — load the queue at its first use\nOr `Invoke-Repaint`.";
    const taken = (said: string) => decided(prompt("How?"), text(offered), prompt(said));
    expect(taken("1 is better, build it with a subagent")).toEqual([
      "1 is better, build it with a subagent → Poll the queue every second",
    ]);
    expect(taken("Let's patch for option C.")).toEqual(["Let's patch for option C. → read the log"]);
    expect(taken("why is that not option C?")).toEqual([]);
    expect(taken("go with B, please")).toEqual(["go with B, please → Wait for events of the watcher"]);
    expect(taken("Let's go with option C.")).toEqual(["Let's go with option C. → read the log"]);
    expect(taken("Propose a fix. I want to use option D because people load it late.")).toEqual([
      "I want to use option D because people load it late. → load the queue at its first use",
    ]);
    expect(taken("I want Invoke-Repaint. Scope confirmed")).toEqual([
      "I want Invoke-Repaint. → Or `Invoke-Repaint`.",
    ]);
    expect(taken("I want some-other-thing.")).toEqual([]);
    for (const said of ["A README is missing", "2 tests fail", "do 7", "use the-branch now", "use polling"])
      expect(taken(said)).toEqual([]);
    for (const listed of [
      "Done:\n1. Moved the queue",
      "Which of the todos?\n1. Move the queue",
      "Either option:\n1. Wait for the build\n2. Restart",
    ])
      expect(decided(prompt("How?"), text(listed), prompt("1 is better"))).toEqual([]);
    const findings = "1. The queue is slow\n\nOptions:\n1. Poll the queue\n2. Wait for events";
    expect(decided(prompt("How?"), text(findings), prompt("Option 1"))).toEqual([
      "Option 1 → Poll the queue",
    ]);
  });

  it("are taken back by a later word, which then stands against them", () => {
    const choice = "let's use a lock file instead of a retry for the migration of the queue";
    const [first, second] = decided(prompt(choice), text("Done."), prompt("Actually, let's defer that."));
    expect([first, second]).toEqual([choice, `Actually, let's defer that. (“${choice}”)`]);
    expect(compareClaims(parseClaim(second!), parseClaim(first!))).toBe("contradicts");
    expect(decided(prompt("What is this?"), text("A cache."), prompt("revert that"))).toEqual([]);
  });

  it("are sentences with the project's own words", () => {
    const reader = new DecisionReader(new WordPattern([], ["ADR"]));
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
    expect(
      relation(
        "How do you want the 1.1.0 image built? → In the cluster",
        "Where should the built image be pushed? → Harbor",
      ),
    ).toBeNull();
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
  "full schema should not be updated ever, it is a snapshot",
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
  "go ahead and we should also add a sample of the segment that is shown by default",
  "the export should show the names of all colleagues, but it does not",
  "the review threads of this page should be addressed",
  "The question is if the segment should have a start and an end color",
  "All linters of the workspace should pass.",
])("sets none: %s", (sentence) => {
  expect(isTypedRule(sentence)).toBe(false);
});

it.each([
  "The conflict resolution shouldn't be too hard, please take a look",
  "But also: this is an edge case, so maybe only if there is an easy fix",
  "Don't forget to branch off main and not the current branch.",
  "the export should show the names of all colleagues, but it does not",
  "the review threads of this page should be addressed",
  "The question is if the segment should have a start and an end color",
])("sets none in a short prompt either: %s", (sentence) => {
  expect(isTypedRule(sentence, sentence.length)).toBe(false);
});

it.each([
  "No, the unknown scale should trigger a node of the graph.",
  "when the api is down, the login button should be disabled",
])("says in a short prompt how a part shall be: %s", (sentence) => {
  expect(isTypedRule(sentence, sentence.length)).toBe(true);
});
