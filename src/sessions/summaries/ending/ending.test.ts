import { describe, expect, it } from "vitest";
import { conversation, notice, prompt, ran, text, used } from "../../../../test/support/turn-fixture.ts";
import { EndingReader } from "./closing.ts";
import { findOpenPoints } from "./open-points.ts";
import { extractOutcome } from "./outcome.ts";

function endingOf(...happenings: Parameters<typeof conversation>) {
  const reader = new EndingReader();
  for (const turn of conversation(...happenings)) reader.read(turn);
  return reader.get();
}
const outcomeOf = (...happenings: Parameters<typeof conversation>) => extractOutcome(endingOf(...happenings));
const openOf = (...happenings: Parameters<typeof conversation>) =>
  findOpenPoints(endingOf(...happenings)).map((point) => point.text);

describe("the outcome of a session", () => {
  it("is what its agent said last, in whole sentences", () => {
    const said = outcomeOf(
      prompt("Fix the flaky test"),
      text("The cause is the clock."),
      ran("npm test"),
      text("Perfect! Fixed and pushed. The clock is injected now.\n\nWant me to open a pull request?"),
    );
    expect(said).toBe("Fixed and pushed. The clock is injected now.");
  });

  it("takes a list with what announces it, as many items as fit whole", () => {
    const item = (name: string) => `- **${name}** — ${"explained in some words ".repeat(6).trim()}`;
    const said = outcomeOf(
      prompt("Review"),
      text(
        `Done. Committed as \`abc1234\`, and replied to all comments:\n${["One", "Two", "Three", "Four"].map(item).join("\n")}`,
      ),
    );
    expect(said).toMatch(
      /^Committed as `abc1234`, and replied to all comments: One — .*words; Two — .*; and 2 more\.$/,
    );
  });

  it("leaves out an item that only announces what is below it", () => {
    const said =
      "Implemented the check of the store.\n\nChanged:\n- Added the app to `Brewfile`.\n- Updated `setup.sh` to:\n  - Ask first.";
    expect(outcomeOf(prompt("Add the app"), text(said))).toBe(
      "Implemented the check of the store. Changed: Added the app to `Brewfile`.",
    );
  });

  it("keeps what stands in code as it is", () => {
    const said = outcomeOf(
      prompt("Pass the handler on"),
      text(
        'The handler is passed to `<Chat onSelect>`, and <b>`pkg/__init__.py`</b> exports it.\n\n::git-commit{cwd="/home/dev/app"}',
      ),
    );
    expect(said).toBe("The handler is passed to `<Chat onSelect>`, and `pkg/__init__.py` exports it.");
  });

  it("does not take what the agent was about to do for what it did", () => {
    const said = outcomeOf(
      prompt("Add a flag"),
      text("The flag is there, and its test passes."),
      prompt("Is there more to do?"),
      text("Let me check the plan."),
      ran("cat plan.md"),
    );
    expect(said).toBe("At turn 1 of 2: The flag is there, and its test passes.");
  });

  it("takes the last words of a turn whole, whatever a turn without words did after it", () => {
    const said = outcomeOf(
      prompt("Add a flag"),
      text("All tests pass."),
      text("The flag is there, and documented."),
      prompt("commit"),
      ran("git commit -m x"),
    );
    expect(said).toBe("At turn 1 of 2: The flag is there, and documented.");
  });

  it("says at which turn the last words were", () => {
    const said = outcomeOf(
      prompt("Add a flag"),
      text("The flag is there now."),
      prompt("and the docs"),
      notice("x"),
    );
    expect(said).toBe("At turn 1 of 2: The flag is there now.");
  });

  it("takes no announcement in whatever tense, no announced list without it, and keeps how a sentence began", () => {
    const first = [prompt("Remove the package"), text("npm ci passes, and the package is gone.")] as const;
    expect(
      outcomeOf(...first, prompt("push"), text("I’m checking the branch before I push."), ran("git push")),
    ).toBe("At turn 1 of 2: npm ci passes, and the package is gone.");
    const links = Array.from({ length: 9 }, (_, i) => `- https://example.org/pull/${i} ${"x".repeat(60)}`);
    expect(
      outcomeOf(
        prompt("x"),
        text(`${"The docs name the command now. ".repeat(13)}\n\nI pushed this to:\n${links.join("\n")}`),
      ),
    ).not.toContain("pushed this to");
  });

  it("leaves code, tables and headings out, and what is still to do", () => {
    const said = outcomeOf(
      prompt("Cache it"),
      text(
        "## Summary\n\nThe cache works.\n```ts\nconst x = 1;\n```\n| a | b |\n\nThe docs still need an update.",
      ),
    );
    expect(said).toBe("The cache works.");
  });

  it("leaves out a call that the model wrote as text", () => {
    const call =
      "<function=Read>\n<parameter=file_path>\n/repo/SPEC.md.\n</parameter>\n</function>\n</tool_call>";
    expect(outcomeOf(prompt("Read it"), text(`I'll read the spec first.\n\n${call}`))).not.toContain("SPEC");
    expect(outcomeOf(prompt("Read it"), text(`${call}\nThe cache works.`))).toBe("The cache works.");
  });

  it("leaves out menus, commands alone and what is offered", () => {
    const said =
      "Phase 14 is planned.\n\n## Next Up\n\n**Execute it** now\n\n`/run 14`\n\n**Also available:**\n- Review plans\n\nReply with a number to go on.";
    expect(outcomeOf(prompt("plan it"), text(said))).toBe("Phase 14 is planned.");
  });

  it("knows how a sentence ends in another writing, and what asks there", () => {
    expect(outcomeOf(prompt("直して"), text("README を更新して push しました。マージしてよいですか？"))).toBe(
      "README を更新して push しました。",
    );
  });

  it("puts what was said before in front of a word", () => {
    const said = outcomeOf(
      prompt("Fix it"),
      text("The lock is taken first now."),
      prompt("push"),
      text("Pushed."),
    );
    expect(said).toBe("The lock is taken first now. Pushed.");
  });
});

describe("what a session left open", () => {
  it("is a question that waits for an answer", () => {
    expect(openOf(prompt("x"), text("Both work.\n\nWhich option do you prefer?"))).toEqual([
      "Which option do you prefer?",
    ]);
    expect(
      openOf(prompt("x"), text("Both work. Which option do you prefer?"), prompt("the first"), text("Done.")),
    ).toEqual([]);
  });

  it("is a question with its choices", () => {
    expect(openOf(prompt("x"), text("It fails.\n\nWould you like me to:\n1. Revert it?\n2. Go on?"))).toEqual(
      ["Would you like me to: Revert it; Go on?"],
    );
  });

  it("is what the agent says is left", () => {
    const left = openOf(
      prompt("x"),
      text(
        "Works on Linux.\n\n**Remaining:**\n- [x] Add the test\n- [ ] Document the flag\n- Release version two\n\nThe Windows build still fails.",
      ),
    );
    expect(left).toEqual(["Document the flag", "Release version two", "The Windows build still fails."]);
  });

  it("is no courtesy, no description, and nothing that is not left", () => {
    const none = [
      "All good. Is there anything else you would like me to do?",
      "Each uncommitted checkpoint counts once.",
      "There are no remaining issues.",
      "Why does it fail? The lock is never taken. It is taken first now.",
      "The todo now frames this as an exercise with:\n- Dual reads of the old pointers",
      "- Changed the cast, which still needs one for the compiler",
      "Todo saved in the planning directory.",
      "- Model creation deferred to runtime",
      "The fix is folded into `365` (the commit with the untested path).",
      "- docs/cluster-plan.md - High-availability setup (not yet implemented)",
      "There is no such API: you have to subscribe again.",
      "## Next Steps\n\nRun it.\n\nA detailed report has been saved for your records.",
      "- Switch statements that need to be updated when hooks are added",
      "I did not run the full test suite because this change only removes a package.",
      "So my recommendation:\n\n- Use the local client to see it at once.",
      "The tree was reusing a stale load, so a second choice could leave the editor waiting on the old promise.",
      "Next steps if you want to proceed:\n1. Review the plan\n2. Ask me to implement phase 9",
      "Next steps (pick one):\n1. I can also add an example\n2. I can extend the docs",
      "Another agent instance can handle the remaining open tasks.",
      "I did not run `gofmt` manually.",
      "My brief asserted that `sh` is absent, a claim I did not run.",
      "The reviewer graded the rest clean, and the open questions were genuinely disclaimed.",
      // Offers, advice, and what ends by itself.
      "Should I document the pipe as well?",
      "Want me to add a rule instead? Or is it there already?",
      "Done.\n\n**Next steps:**\n- Release version two",
      "CI is running on the new commit.",
      "The alert on main is worth a separate look.",
      "Retry the push.",
      "You may need to retry the commit yourself.",
      "Two minor items are left as-is, your call if you want those too.",
      "Say the word and I'll open it.",
      "The subagent was relaunched; I'll report when it lands.",
      "This won't take effect until the next release.",
      "Let me know if you'd like me to open a PR for this.",
      // Why something is so, and what the person wanted.
      "New files are shown as untracked, since they are not committed.",
      "Windows remains to be done later, as agreed.",
    ];
    for (const one of none) expect(openOf(prompt("x"), text(one)), one).toEqual([]);
  });

  it("is what the person may choose from, what goes stale, and what is not begun yet, whatever apostrophe is typed", () => {
    const said =
      "We can’t push that.\n\nOptions:\n1. Allow it once.\n2. Leave it.\n\nThe tags are still stale until the workflow runs. I didn’t spawn the helpers yet, and I don’t own the others.";
    expect(openOf(prompt("x"), text(said))).toEqual([
      "The tags are still stale until the workflow runs.",
      "I didn't spawn the helpers yet, and I don't own the others.",
      "Options: Allow it once; Leave it?",
    ]);
  });

  it("is what stands below a heading that wants the person to look", () => {
    expect(
      openOf(prompt("x"), text("Done.\n\n**Three things need your eyes:**\n1. The sender is a guess")),
    ).toEqual(["The sender is a guess"]);
    expect(
      outcomeOf(prompt("x"), text("Updated the plan of the help.\n\nNext steps if you want:\n1. Review it")),
    ).toBe("Updated the plan of the help.");
  });

  it("is what is waited for, and what was not run", () => {
    const said =
      "I'm waiting for your review. The page is done, but I did not run the tests. Those files need explicit approval.";
    expect(openOf(prompt("x"), text(said))).toEqual([
      "I'm waiting for your review.",
      "The page is done, but I did not run the tests.",
      "Those files need explicit approval.",
    ]);
  });

  it("is what was not pushed, and waits for a word", () => {
    expect(
      openOf(prompt("x"), text("Committed `abc` on the branch. Not pushed. Say the word and I'll open it.")),
    ).toEqual(["Not pushed."]);
  });

  it("is a question whose beginning says what is left, and no other offer", () => {
    for (const asked of [
      "Not pushed yet — want me to push it, so that CI runs again?",
      "The review thread is still open — want me to reply there?",
    ])
      expect(openOf(prompt("x"), text(`It works. ${asked}`)), asked).toEqual([asked]);
    expect(openOf(prompt("x"), text("All tests pass — want me to write a summary?"))).toEqual([]);
  });

  it("stands below what announces it, however long, and is still undone in whatever word", () => {
    const said =
      "Still outstanding from the handoff, unchanged by this session:\n- **The pod runs the old image.**\n" +
      "\nThe board is still unreconciled. The prior list had open items, so I carried them forward.";
    expect(openOf(prompt("x"), text(said))).toEqual([
      "The pod runs the old image.",
      "The board is still unreconciled.",
    ]);
    expect(
      openOf(prompt("x"), text("Two things I did **not** touch, both your call:\n1. The manifest")),
    ).toEqual(["The manifest"]);
    expect(openOf(prompt("x"), text("Tests not run: license-only change."))).toEqual([]);
    for (const report of [
      "Validated:\n- The old artifact still fails.\n- The new ones pass.",
      "The new check currently fails as intended.",
      "So it never holds the lock while waiting for the user.",
    ])
      expect(openOf(prompt("x"), text(report)), report).toEqual([]);
    expect(openOf(prompt("x"), text("Pushed. The build of the docs still fails."))).toEqual([
      "The build of the docs still fails.",
    ]);
    // Work on a pull request does more than store what was there.
    expect(
      openOf(
        prompt("x"),
        text("The docs still need an update."),
        prompt("address pr feedback"),
        text("Done."),
      ),
    ).toEqual([]);
  });

  it("is what is deferred, or waits for the person, whatever command of the client follows", () => {
    const said =
      "**Intentionally deferred:**\n- The cache of inodes\n\nYou still need to retry the commit yourself.";
    expect(openOf(prompt("x"), text(said), prompt("/clear"))).toEqual([
      "The cache of inodes",
      "You still need to retry the commit yourself.",
    ]);
  });

  it("is a box that is not ticked, and what stands under a heading of what is left", () => {
    expect(
      openOf(prompt("x"), text("## Test plan\n- [x] Unit tests\n- [ ] The gated integration tests")),
    ).toEqual(["The gated integration tests"]);
    expect(
      openOf(
        prompt("x"),
        text("Planned.\n\n## Left to do\n\n- **Execute phase 14** in four waves\n\n`/run 14`"),
      ),
    ).toEqual(["Execute phase 14 in four waves"]);
  });

  it("is a question that decides how the work goes on, and an offer to store it", () => {
    for (const asked of [
      "Which way do you want to go?",
      "Shall I revert the fix, or debug the test first?",
      "Want me to commit and push?",
      "Ready to commit these changes?",
    ])
      expect(openOf(prompt("x"), text(`It works. ${asked}`)), asked).toEqual([asked]);
  });

  it("is what was left before a prompt that only has the work stored", () => {
    const said =
      "The flag works. The docs still need an update. Nothing is committed: it remains uncommitted.";
    expect(
      openOf(prompt("x"), text(said), prompt("commit and push please"), text("Committed as `abc`.")),
    ).toEqual(["The docs still need an update."]);
    expect(openOf(prompt("x"), text(said), prompt("update them"), text("Updated."))).toEqual([]);
  });

  it("is a plan that was put before the person, until they answer", () => {
    const plan = used("ExitPlanMode", { plan: "# Plan: Cache the index\n\nSteps" }, null);
    expect(openOf(prompt("x"), text("Let me present the plan."), plan)).toEqual([
      'A plan, "Cache the index", was proposed, and not carried out in this session',
    ]);
    expect(openOf(prompt("x"), plan, prompt("go"), text("Cached."))).toEqual([]);
  });

  it("is a question with options that nobody answered", () => {
    const asked = used(
      "AskUserQuestion",
      { questions: [{ question: "Which cache?", options: [{ label: "LRU" }] }] },
      null,
    );
    expect(openOf(prompt("x"), asked)).toEqual(["Which cache?"]);
  });

  it.each([
    "The branch is 2 commits ahead of `origin/main`.",
    "I haven't run the e2e tests.",
    "The final name is your call.",
    "Not pushed, say the word if you want that.",
    "Phase 2 next, collapsing the three copies of the reader.",
    "The branch is ready for push whenever you are.",
    "One open decision is whether it hides by default.",
    "It is committed on `next` (not pushed).",
    "You can commit these changes whenever you're ready.",
  ])("is said by: %s", (said) => {
    expect(openOf(prompt("x"), text(`It is done. ${said}`))).toEqual([said]);
  });

  it("is nothing of a turn before the last", () => {
    expect(openOf(prompt("x"), text("Should I commit it?"), prompt("yes"), ran("git commit -m x"))).toEqual(
      [],
    );
  });
});
