import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { conversation, edited, prompt, ran, text } from "../../../test/support/turn-fixture.ts";
import { isGenericTitle, makeSessionTitle, makeTitleFromPrompts } from "./title.ts";

const titleOf = (...prompts: string[]) => makeSessionTitle(conversation(...prompts.map(prompt)));

describe("sessionTitle", () => {
  it.each([
    ["can you please fix the flaky resume test?", "Fix the flaky resume test"],
    ["Kan du lige rette den test, der fejler på Windows?", "Rette den test, der fejler på Windows"],
    ["/review the session store for data races", "The session store for data races"],
    [
      "Implement the following plan:\n\n# Plan: Session **lock** in the daemon\n\n## Context\n...",
      "Session lock in the daemon",
    ],
    ["Implement this plan:\n\nMove the parser to a worker", "Move the parser to a worker"],
    ["The build fails here:\n```\nerror TS2345: Argument\n```", "The build fails here"],
    [
      "[Image #1] The sidebar overlaps the header on small screens",
      "The sidebar overlaps the header on small screens",
    ],
    [
      "hi, could you also look at https://github.com/owner/name/pull/12#discussion_r1 for open comments?",
      "Look at github.com/…/pull/12 for open comments",
    ],
    ["legal! mas o menu fecha quando clico enter", "Mas o menu fecha quando clico enter"],
    [
      "You are a senior engineer. Review the migration of the users table",
      "Review the migration of the users table",
    ],
    [
      "<command-name>/fix-issue</command-name>\n<command-args>the importer drops the last line</command-args>",
      "The importer drops the last line",
    ],
  ])("%j is %j", (asked, title) => {
    expect(titleOf(asked)).toBe(title);
  });

  it("passes over prompts that say little", () => {
    expect(titleOf("hi", "continue", "Add an index to the sessions table", "Rewrite the daemon")).toBe(
      "Add an index to the sessions table",
    );
  });

  it("makes do with what there is", () => {
    expect(titleOf("hello", "fix parser")).toBe("Fix parser");
    expect(titleOf("yes", "ok")).toBeNull();
    expect(makeSessionTitle(conversation(text("I decided to rename the parser module.")))).toBeNull();
    expect(makeSessionTitle([])).toBeNull();
  });

  it("names the actions if the prompts say nothing about them", () => {
    const branch = { branch: "feature/lock" };
    const asked = prompt("Review the changes in this branch");
    expect(makeSessionTitle(conversation(branch, asked))).toBe("Review on feature/lock");
    const edit = edited("/p/src/lock.ts", "a", "b");
    expect(makeSessionTitle(conversation(branch, prompt("commit this"), edit))).toBe(
      "Commit: lock.ts (feature/lock)",
    );
    expect(
      makeSessionTitle(conversation(branch, prompt("help"), edit, prompt("Move the lock into the daemon"))),
    ).toBe("Move the lock into the daemon");
  });

  it.each([
    "Help",
    "Review",
    "Commit this",
    "Review the changes in this branch",
    "Fix lint errors",
    "Address the PR feedback",
    "Take a look at the failing tests",
    "github.com/…/pull/190",
    "Merge conflicts",
  ])("says nothing as %j", (title) => {
    expect(isGenericTitle(title)).toBe(true);
    expect(makeTitleFromPrompts([title])).toBeNull();
  });

  it.each([
    "Session store races",
    "Add CLI version to metadata",
    "Fix the flaky resume test",
    "Update Go to 1.25",
    "Locks",
    "Change telemetry default to disabled",
    "tracker.example/…/ABC-12/import-of-rates",
  ])("says something as %j", (title) => {
    expect(isGenericTitle(title)).toBe(false);
  });

  it("is of what was done rather than of a later prompt that says little", () => {
    const branch = { branch: "feature/lock" };
    const turns = conversation(
      branch,
      prompt("help"),
      edited("/p/src/lock.ts", "a", "b"),
      prompt("is that parser right?"),
    );
    expect(makeSessionTitle(turns)).toBe("lock.ts (feature/lock)");
  });

  it("is the heading of a plan before anything else", () => {
    const plan = prompt(
      "Implement the following plan:\n\n# Implementation Plan: Session lock in the daemon\n\n## Context",
    );
    const commit = ran('git commit -m "feat: add a lock file to the daemon process"');
    expect(makeSessionTitle(conversation(plan, commit))).toBe("Session lock in the daemon");
  });

  it("is what its commits say where there is no plan, without their type", () => {
    const commit = ran(
      "git add -A && git commit -m \"$(cat <<'EOF'\nfix(daemon): release the socket when the index worker dies\n\nBody\nEOF\n)\"",
    );
    expect(makeSessionTitle(conversation(prompt("tests are red, why?"), commit))).toBe(
      "Daemon: release the socket when the index worker dies",
    );
    const failed = ran('git commit -m "Release the socket when the worker dies"', "hook failed", {
      isError: true,
    });
    expect(makeSessionTitle(conversation(prompt("Rewrite the parser of the importer"), failed))).toBe(
      "Rewrite the parser of the importer",
    );
  });

  it("is the commit that speaks of what was asked, and none that says nothing", () => {
    const commits = [
      "fmt",
      "Merge branch main",
      "Address review feedback",
      "Inline a helper of the chunk writer",
      "Cache answers of the search index",
    ];
    expect(makeSessionTitle(conversation(prompt("why is the search index slow to answer")), commits)).toBe(
      "Cache answers of the search index",
    );
    expect(
      makeSessionTitle(conversation(prompt("Rewrite the parser of the importer")), [
        "wip",
        "fix tests",
        "more fixes",
      ]),
    ).toBe("Rewrite the parser of the importer");
  });

  it("is no message of a hook, no log, and no answer", () => {
    expect(
      titleOf(
        "Stop hook feedback:\n- [npm run lint]: three errors in the parser module",
        "• running goreleaser v2.13.2\n⨯ release failed after 0s",
        "yes",
        "Publish the binaries with goreleaser from the workflow",
      ),
    ).toBe("Publish the binaries with goreleaser from the workflow");
  });

  it("is one line of up to 80 characters, for any prompt", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: anyCharacter, maxLength: 500 }), { maxLength: 5 }),
        (prompts) => {
          const title = titleOf(...prompts) ?? "x";
          expect(title.length).toBeLessThanOrEqual(80);
          expect(title).toMatch(/^\S[^\n]*$/);
        },
      ),
    );
    expect(titleOf(`${"word".repeat(500)} and more of the parser`)!.length).toBeLessThanOrEqual(80);
  });
});
