import { describe, expect, test } from "vitest";
import {
  conversation,
  edited,
  type Happening,
  prompt,
  ran,
  read,
  text,
} from "../../../test/support/turn-fixture.ts";
import { chunkGroup } from "./chunker.ts";
import { buildKindRules, classifyText, type KindRules } from "./kinds.ts";

const rules = buildKindRules();

function kinds(happenings: Happening[], used: KindRules = rules): string[] {
  const options = { minTokens: 200, maxTokens: 800, kinds: used, relativize: (path: string) => path };
  return chunkGroup(conversation(...happenings), options).map(({ chunk }) => chunk.kind);
}

const failure = ran("npm test", "1 failed", { isError: true });
const success = ran("npm test", "12 passed");
const edit = edited("/p/a.ts", "a", "b");

describe("decision", () => {
  test.each([
    "We decided to keep sessions in SQLite.",
    "Beslutning: vi gemmer sessioner i SQLite.",
    "vi valgte SQLite",
    "Anbefaling: brug SQLite",
    "I'd recommend SQLite here.",
    "There is a trade-off between size and speed.",
    "The reason we keep both is history.",
  ])("the agent says %j", (said) => {
    expect(kinds([prompt("and?"), text(said)])).toEqual(["decision"]);
  });

  test.each([
    "option B please",
    "let’s use SQLite",
    "I'd rather keep it",
    "SQLite instead of files",
    "lad os bruge SQLite",
  ])("the human chooses: %j", (said) => {
    expect(kinds([prompt(said), text("ok")])).toEqual(["decision"]);
    // The same words from the agent alone do not count.
    expect(kinds([prompt("and?"), text(said)])).toEqual(["conversation"]);
  });

  test("a bare because does not count, weighing one option against the other does", () => {
    expect(kinds([prompt("why?"), text("It is slow because it sorts.")])).toEqual(["conversation"]);
    expect(kinds([prompt("hvorfor?"), text("Den er langsom, fordi den sorterer.")])).toEqual([
      "conversation",
    ]);
    const weighing =
      "Option A is simpler. An alternative has a drawback, because it sorts; however it is exact.";
    expect(kinds([prompt("how?"), text(weighing)])).toEqual(["decision"]);
  });

  test("words in code, and in a pasted plan, do not count", () => {
    expect(kinds([prompt("show"), text("```\n// we decided to sort\n```")])).toEqual(["conversation"]);
    expect(kinds([prompt(`${"a step of the plan. ".repeat(80)} x instead of y`)])).toEqual(["conversation"]);
  });

  test("nor are those in the middle of a prompt that fills chunks", () => {
    const step = "A step of the plan, at some length. ".repeat(100);
    const [, middle] = kinds([prompt(`${step}\n\n${step} Rationale: it is fast. ${step}\n\n${step}`)]);
    expect(middle).toBe("conversation");
  });

  test("a word within a word does not count", () => {
    expect(kinds([prompt("and?"), text("undecided to")])).toEqual(["conversation"]);
  });
});

describe("error-fix", () => {
  test("a failure, then an edit", () => {
    expect(kinds([prompt("run"), failure, edit])).toEqual(["error-fix"]);
    expect(kinds([prompt("run"), failure, read("/p/a.ts"), edit, success])).toEqual(["error-fix"]);
  });

  test("a failure, then success", () => {
    expect(kinds([prompt("run"), failure, ran("npm ci"), success])).toEqual(["error-fix"]);
  });

  test("an error that the human reports, then an edit", () => {
    expect(kinds([prompt("resume crashes at night"), edit])).toEqual(["error-fix"]);
    expect(kinds([prompt("genoptagelse virker ikke"), edit])).toEqual(["error-fix"]);
  });

  test("in a chunk of a long turn whose problem began before", () => {
    const long = text("Looking into it. ".repeat(150));
    expect(kinds([prompt("run"), failure, long, long, edit, long, success])).toEqual([
      "error-fix",
      "error-fix",
      "error-fix",
    ]);
  });

  test("the agent explains the error after its edit", () => {
    expect(kinds([prompt("go"), edit, text("The root cause was a wrong id.")])).toEqual(["error-fix"]);
  });

  test("not: a failure only, a report that all goes well after, an edit before the failure, another turn's", () => {
    expect(kinds([prompt("run"), failure])).toEqual(["conversation"]);
    expect(kinds([prompt("is there an error?"), success, text("no")])).toEqual(["conversation"]);
    expect(kinds([prompt("go"), edit, failure])).toEqual(["code-change"]);
    expect(kinds([prompt("run"), failure, prompt("go"), edit])).toEqual(["code-change"]);
    expect(kinds([prompt("run"), failure, success, edit])[0]).toBe("error-fix");
  });

  test("not: actions long after the last failure", () => {
    const reads = Array.from({ length: 30 }, (_, i) => read(`/p/${i}.ts`)).flat();
    expect(kinds([prompt("run"), failure, edit, reads, edit, text("ok. ".repeat(700)), edit]).at(-1)).toBe(
      "code-change",
    );
  });

  test("not: a plan with errors to be handled", () => {
    expect(kinds([prompt("Implement the following plan:\n\nHandle errors."), edit])).toEqual(["code-change"]);
  });
});

describe("code-change, architecture, conversation", () => {
  const design = `The module has three layers. ${"It is described at length. ".repeat(20)} Each component has an interface.`;

  test("an edit is a change", () => {
    expect(kinds([prompt("rename it"), read("/p/a.ts"), edit, success])).toEqual(["code-change"]);
  });

  test("and so are checks and reports after edits in the same turn", () => {
    const long = ran("ls", "x").concat(text("And then this. ".repeat(180)));
    expect(kinds([prompt("go"), edit, long, text("Done with all of it. ".repeat(60))])).toEqual([
      "code-change",
      "code-change",
    ]);
  });

  test("a long message with terms of architecture, without edits", () => {
    expect(kinds([prompt("how is it built?"), text(design)])).toEqual(["architecture"]);
    expect(kinds([prompt("how?"), text("Modules, layers and components.")])).toEqual(["conversation"]);
    expect(kinds([prompt("how?"), text("Described at length. ".repeat(40))])).toEqual(["conversation"]);
    const danish = `Arkitekturen har moduler. ${"Den er beskrevet her. ".repeat(30)} Hvert modul har sit ansvar og sine afhængigheder.`;
    expect(kinds([prompt("hvordan?"), text(danish)])).toEqual(["architecture"]);
  });

  test("all else is conversation", () => {
    expect(kinds([prompt("hello"), text("hi"), read("/p/a.ts")])).toEqual(["conversation"]);
  });
});

test("a project can add words of its own, which are not patterns", () => {
  const own = buildKindRules({ decision: ["ADR", "c++ (ok)"], error: ["kaputt"] });
  expect(kinds([prompt("and?"), text("See adr 7.")], own)).toEqual(["decision"]);
  expect(kinds([prompt("and?"), text("we do C++ (ok) now")], own)).toEqual(["decision"]);
  expect(kinds([prompt("es ist kaputt"), edit], own)).toEqual(["error-fix"]);
  expect(kinds([prompt("es ist kaputt"), edit])).toEqual(["code-change"]);
  expect(kinds([prompt("and?"), text("adrift")], buildKindRules({ decision: ["adr", " "] }))).toEqual([
    "conversation",
  ]);
});

test("of a summary", () => {
  expect(classifyText("We decided on SQLite.", rules)).toBe("decision");
  expect(classifyText("The root cause was a wrong id.", rules)).toBe("error-fix");
  expect(classifyText("Modules, layers, components.", rules)).toBe("architecture");
  expect(classifyText("We spoke.", rules)).toBe("conversation");
});
