import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../../test/support/any-text.ts";
import {
  conversation,
  edited,
  prompt,
  ran,
  text,
  used,
  wrote,
} from "../../../../test/support/turn-fixture.ts";
import { summariseInSteps } from "./extractive.ts";

const meta = { relativize: (path: string) => path.replace(/^\/home\/dev\/app\//, "") };
type Happening = Parameters<typeof conversation>[number];
const summaryOf = (...happenings: Happening[]) => summariseTurns(conversation(...happenings));

function summariseTurns(turns: ReturnType<typeof conversation>): string {
  const steps = summariseInSteps(turns, meta);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The lines under a heading. */
function part(summary: string, title: string): string[] {
  const found = summary.split("\n\n").find((each) => each.startsWith(`${title}:\n`));
  return found === undefined ? [] : found.split("\n").slice(1);
}

const session: Happening[] = [
  prompt(
    "Can you look into why the resume command loses its session after a restart?\n```\npanic: nil map\n```",
  ),
  text("I'll look at the code first."),
  ran("npm test -- resume", "FAIL src/resume.test.ts > resumes\nError: session not found at resume.ts:42"),
  text(
    "The root cause is that the session store is opened before the lock is taken. Let me check the callers.",
  ),
  edited("/home/dev/app/src/store.ts", "open()", "lock(); open()"),
  text("The fix is to take the lock before the session store is opened."),
  ran("npm test -- resume 2>&1 | tail -5", "ok 3 passed"),
  prompt(
    "let's keep the lock in the daemon instead of the command line, because two commands may run at once",
  ),
  wrote("/home/dev/app/src/lock.ts", "export {}"),
  text("Perfect! We decided against a lock file, since a stale one would block every later command."),
  prompt("commit this"),
  text(
    "Done. The resume command keeps its session after a restart, and the lock lives in the daemon.\n\nStill to do: the Windows build needs a named pipe for the lock.",
  ),
];

describe("a summary", () => {
  const summary = summaryOf(...session);

  it("states the request, without courtesies, code and prompts that only continue", () => {
    expect(part(summary, "Asked")).toEqual([
      "- Look into why the resume command loses its session after a restart",
      "- Let's keep the lock in the daemon instead of the command line, because two commands may run at once",
    ]);
    expect(summary).not.toContain("nil map");
  });

  it("states no decision of an agent, none that stands there already, and no filler", () => {
    expect(part(summary, "Decisions")).toEqual([]);
    expect(summary).not.toMatch(/Perfect|Let me/);
  });

  it("states a problem with its resolution", () => {
    expect(part(summary, "Problems")).toContainEqual(
      "- The root cause is that the session store is opened before the lock is taken. → " +
        "The fix is to take the lock before the session store is opened.",
    );
  });

  it("reports a command that failed, and that it succeeded later", () => {
    const failing = part(summary, "Problems").find((line) => line.includes("npm test"));
    expect(failing).toMatch(/`npm test -- resume`: .+ → The fix is to take the lock/);
  });

  it("gives a failure no remedy that does not speak of it", () => {
    const said = summaryOf(
      prompt("publish the branch of the parser please"),
      ran("git push", "Exit code 128\nfatal: The current branch has no upstream branch.", { isError: true }),
      text("The working tree holds the cleanup of the reader, and changed comments of the lexer module."),
      ran("git push", "ok"),
    );
    expect(part(said, "Problems").join("\n")).not.toContain("lexer");
  });

  it("lists the changed files, those that changed most first", () => {
    expect(part(summary, "Files changed")).toEqual(["src/store.ts, src/lock.ts"]);
    const twice = summaryOf(...session, edited("/home/dev/app/src/lock.ts", "a", "b"));
    expect(part(twice, "Files changed")).toEqual(["src/lock.ts, src/store.ts"]);
  });

  it("states the outcome, and what is left", () => {
    expect(part(summary, "Outcome")[0]).toMatch(/^The resume command keeps its session after a restart/);
    expect(summaryOf(...session)).toMatch(/Windows build needs a named pipe/);
    const later = summaryOf(
      prompt("add a cache to the search index please"),
      text(
        "The search index keeps its newest answers in memory now. A changed file empties the whole cache again. " +
          "Nobody has to configure anything beforehand either way. Repeated questions come back eleven times faster. " +
          "A limit on its size in bytes is still missing.",
      ),
    );
    expect(part(later, "Next")).toEqual(["- A limit on its size in bytes is still missing."]);
  });

  it("lists open items of the agent's list as left to do", () => {
    const todos = [
      { content: "Write the migration for the users table", status: "completed" },
      { content: "Document the migration in the handbook", status: "pending" },
    ];
    const listed = summaryOf(
      prompt("Migrate the users table to the new schema"),
      used("TodoWrite", { todos }),
    );
    expect(part(listed, "Next")).toEqual(["- Not ticked off: Document the migration in the handbook"]);
  });

  it("takes an answer to a question with options for a decision", () => {
    const question = {
      question: "Which cache shall the search use?",
      options: [{ label: "Redis, shared between hosts" }, { label: "A table" }],
    };
    const answer =
      'User has answered your questions: "Which cache shall the search use?"="Redis, shared between hosts".';
    const asked = summaryOf(
      prompt("Make the search faster with a cache"),
      used("AskUserQuestion", { questions: [question] }, answer),
    );
    expect(part(asked, "Decisions")).toEqual([
      "- Which cache shall the search use? → Redis, shared between hosts, not A table",
    ]);
  });

  it("does not take an edit that failed for a change", () => {
    const failed = edited("/home/dev/app/src/x.ts", "a", "b", { isError: true });
    expect(part(summaryOf(prompt("Rename the variable in the parser"), failed), "Files changed")).toEqual([]);
  });

  it("leaves abandoned turns out", () => {
    const turns = conversation(
      prompt("Rewrite the parser in Rust"),
      text("We decided to use nom for the parser grammar."),
    );
    for (const turn of turns) turn.abandoned = true;
    expect(summariseTurns(turns)).toBe("");
  });

  it("reads Danish", () => {
    const danish = summaryOf(
      prompt("Kan du lige finde ud af, hvorfor testen af genoptagelsen fejler?"),
      text("Problemet er, at sessionen bliver åbnet før låsen bliver taget."),
      text("Jeg har rettet det: låsen bliver nu taget, før sessionen bliver åbnet."),
      prompt("vi skal bruge en lås i dæmonen i stedet for en fil, fordi filen kan blive liggende"),
      text("Testen af genoptagelsen består nu. Der mangler stadig en test på Windows-maskinen."),
    );
    expect(part(danish, "Asked")[0]).toBe("- Finde ud af, hvorfor testen af genoptagelsen fejler");
    expect(part(danish, "Problems")).toEqual([
      "- Problemet er, at sessionen bliver åbnet før låsen bliver taget. → " +
        "Jeg har rettet det: låsen bliver nu taget, før sessionen bliver åbnet.",
    ]);
    expect(danish).toContain("i stedet for en fil, fordi filen kan blive liggende");
  });

  it("has nothing to say of nothing", () => {
    expect(summaryOf()).toBe("");
    expect(summaryOf(prompt("ok"), text("Great!"))).toBe("");
  });

  it("says nothing that was not said", () => {
    // Line breaks would stand as letters: "\\n".
    const statements = JSON.stringify(session).replaceAll("\\n", " ");
    const words = new Set(statements.match(/\p{L}+/gu)?.map((word) => word.toLowerCase()));
    const headings = "asked decisions problems files changed outcome next".split(" ");
    for (const [word] of summary.matchAll(/\p{L}+/gu)) {
      expect([...words, ...headings]).toContain(word.toLowerCase());
    }
  });
});

const pieces = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom(
    "We decided to use a queue because the lock was broken. ",
    "The root cause is a race condition between reader and writer. ",
    "Fixed the parser so that it now handles empty files. ",
    "Next steps: write the documentation for the importer. ",
    "```\n",
    "| a | b |\n",
    "\n\n- ",
    "<command-name>/review</command-name>",
    "Implement the following plan:\n",
    " ".repeat(5000),
    "\n".repeat(5000),
    "[".repeat(3000),
    "*".repeat(3000),
    "x".repeat(9000),
    "ok ".repeat(2000),
  ),
);
const words = fc.array(pieces, { maxLength: 8 }).map((each) => each.join(""));
const happening = fc.oneof(
  words.map(prompt),
  words.map(text),
  fc.tuple(words, words, fc.boolean()).map(([command, output, isError]) => ran(command, output, { isError })),
  words.map((path) => wrote(path, "x")),
  fc.jsonValue().map((todos) => used("TodoWrite", { todos, command: todos })),
);

describe("of any session", () => {
  it("is bounded, and always the same", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        const turns = conversation(...happenings);
        const found = summariseTurns(turns);
        expect(found.length).toBeLessThanOrEqual(2_500);
        expect(summariseTurns(structuredClone(turns))).toBe(found);
      }),
      { numRuns: 60 },
    );
  });

  it("is bounded where there is more than enough to say", () => {
    const many = Array.from({ length: 400 }, (_, i) => [
      prompt(`Please rebuild module number${i} with engine variant${i} for customer group${i} `.repeat(10)),
      prompt(`let's use approach${i} instead of library${i}, because vendor${i} dropped platform${i}`),
      text(`The root cause is a deadlock${i} between worker${i} and scheduler${i} under pressure${i}.`),
      wrote(`/home/dev/app/src/${"folder/".repeat(20)}file${i}.ts`, "x"),
    ]);
    const found = summaryOf(...many.flat());
    expect(found.length).toBeLessThanOrEqual(2_500);
    for (const title of ["Asked", "Decisions", "Problems", "Files changed", "Outcome"]) {
      expect(part(found, title)).not.toEqual([]);
    }
    expect(found).toContain("and 388 more");
  });
});
