import { expect, it } from "vitest";
import { detectSessionIntent, type SessionIntent } from "./intent.ts";

const after = (question: string) =>
  (Object.entries(detectSessionIntent(question)) as [keyof SessionIntent, boolean][])
    .filter(([, is]) => is)
    .map(([name]) => name);

it.each<[string, (keyof SessionIntent)[]]>([
  ["Give me an overview of the importer", ["isHighLevel"]],
  ["what have we done in the importer", ["isHighLevel"]],
  ["Summarise the work on the queue", ["isHighLevel"]],
  ["what did we do last time", ["isHighLevel", "isRecent"]],
  ["Hvad lavede vi i går?", ["isHighLevel", "isRecent"]],
  ["opsummering af importen", ["isHighLevel"]],
  ["How did we fix the flaky resume test?", ["isFix"]],
  ["how did we get the build to pass", ["isFix"]],
  ["what was wrong with the cursor", ["isFix"]],
  ["Hvordan løste vi den ustabile test", ["isFix"]],
  ["Hvad var årsagen til fejlen?", ["isFix"]],
  ["årsagen til fejlen", ["isFix"]],
  ["løsningen på låsen", ["isFix"]],
  ["why did the tests crash", ["isFix", "isDecision"]],
  ["Why SQLite rather than files", ["isDecision"]],
  ["which cache did we agree on", ["isDecision"]],
  ["Hvorfor valgte vi SQLite i stedet for filer", ["isDecision"]],
  ["the latest change to the schema", ["isRecent"]],
  ["seneste ændring af skemaet", ["isRecent"]],
  ["where is the retry limit", []],
  ["prefix of the key", []],
  ["hvor står grænsen", []],
  ["", []],
])("%j is after %j", (question, expected) => {
  expect(after(question)).toEqual(expected);
});
