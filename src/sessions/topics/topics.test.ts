import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { extractKeyPhrases, type TopicText } from "./key-phrases.ts";

type SessionFrequencies = Parameters<typeof extractKeyPhrases>[1];

const unheard: SessionFrequencies = { all: 100, holding: () => new Map() };
const session = (title: string, people: string[], agent: string[] = []): TopicText[] => [
  { text: title, by: "title" },
  ...people.map((text) => ({ text, by: "person" as const })),
  ...agent.map((text) => ({ text, by: "agent" as const })),
];

describe("keyPhrases", () => {
  it("are terms and names that come back", () => {
    const sources = session(
      "Fix the deferred condensation of checkpoints",
      ["why does `TurnEnd` not run?", "commit this"],
      ["The deferred condensation runs late.", "`TurnEnd` fires twice.", "I read `TurnEnd` again."],
    );
    expect(extractKeyPhrases(sources, unheard)).toEqual(["deferred condensation", "TurnEnd"]);
  });

  it("are none where nothing comes back, and none that only an agent names", () => {
    expect(
      extractKeyPhrases(session("Review the changes", ["please fix the failing tests"]), unheard),
    ).toEqual([]);
    const said = ["The shadow tree is stale.", "The shadow tree again.", "A shadow tree.", "Shadow tree."];
    expect(extractKeyPhrases(session("Why is it slow?", ["go on"], said), unheard)).toEqual([]);
  });

  it("are names alone in a language whose words are not known", () => {
    const asked =
      "quero que o seletor de modelo apareça ao lado da sessão atual quando eu digitar o comando, ao lado da sessão atual";
    const people = [asked, `${asked} em openPicker`, `${asked}, e não no openPicker`, "openPicker falhou"];
    expect(extractKeyPhrases(session("", people), unheard)).toEqual(["openPicker"]);
  });

  it("name a file by its name, and nothing by a path, a hash or an address", () => {
    const people = [
      "look at src/store/lock.ts and https://example.com/a/b",
      "is src/store/lock.ts right? 4a4241ca5b3d",
      "see lock.ts, and https://example.com/a/b and 4a4241ca5b3d",
    ];
    expect(extractKeyPhrases(session("", people), unheard)).toEqual(["lock.ts"]);
  });

  it("leave out what a quarter of all sessions speak of", () => {
    const sources = session("The token usage", ["token usage is wrong", "show token usage"]);
    const holding = (count: number) => ({
      all: 100,
      holding: () =>
        new Map([
          ["token", count],
          ["usag", count],
        ]),
    });
    expect(extractKeyPhrases(sources, holding(10))).toEqual(["token usage"]);
    expect(extractKeyPhrases(sources, holding(30))).toEqual([]);
    // Of a few sessions most are about the same.
    expect(extractKeyPhrases(sources, { ...holding(3), all: 4 })).toEqual(["token usage"]);
  });

  it("are up to five short ones, for any text", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 300 });
    const by = fc.constantFrom("title" as const, "person" as const, "agent" as const);
    fc.assert(
      fc.property(fc.array(fc.record({ text, by }), { maxLength: 8 }), (sources) => {
        const topics = extractKeyPhrases([...sources, ...sources, ...sources], {
          all: 1,
          holding: () => new Map(),
        });
        expect(topics.length).toBeLessThanOrEqual(5);
        for (const topic of topics) expect(topic).toMatch(/^\S+(?: \S+){0,2}$/);
      }),
    );
  });
});
