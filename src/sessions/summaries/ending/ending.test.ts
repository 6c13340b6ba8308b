import { describe, expect, it } from "vitest";
import { conversation, notice, prompt, ran, text } from "../../../../test/support/turn-fixture.ts";
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

  it("leaves code, tables and headings out, and what is still to do", () => {
    const said = outcomeOf(
      prompt("Cache it"),
      text(
        "## Summary\n\nThe cache works.\n```ts\nconst x = 1;\n```\n| a | b |\n\nThe docs still need an update.",
      ),
    );
    expect(said).toBe("The cache works.");
  });

  it("leaves out menus, commands alone and what is offered", () => {
    const said =
      "Phase 14 is planned.\n\n## Next Up\n\n**Execute it** now\n\n`/run 14`\n\n**Also available:**\n- Review plans\n\nReply with a number to go on.";
    expect(outcomeOf(prompt("plan it"), text(said))).toBe("Phase 14 is planned.");
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
        "Works on Linux.\n\n**Next steps:**\n- [x] Add the test\n- [ ] Document the flag\n- Release version two\n\nThe Windows build still fails.",
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
      "- Switch statements that need to be updated when hooks are added",
    ];
    for (const one of none) expect(openOf(prompt("x"), text(one)), one).toEqual([]);
  });

  it("is what was not pushed, and waits for a word", () => {
    expect(
      openOf(prompt("x"), text("Committed `abc` on the branch. Not pushed. Say the word and I'll open it.")),
    ).toEqual(["Not pushed.", "Say the word and I'll open it."]);
  });

  it("is what is deferred, or waits for the person, whatever command of the client follows", () => {
    const said =
      "**Intentionally deferred:**\n- The cache of inodes\n\nYou may need to retry the commit yourself.";
    expect(openOf(prompt("x"), text(said), prompt("/clear"))).toEqual([
      "The cache of inodes",
      "You may need to retry the commit yourself.",
    ]);
  });

  it("is nothing of a turn before the last", () => {
    expect(openOf(prompt("x"), text("Should I commit it?"), prompt("yes"), ran("git commit -m x"))).toEqual(
      [],
    );
  });
});
