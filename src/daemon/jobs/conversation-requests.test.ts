import { expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { prompt, text } from "../../../test/support/turn-fixture.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { withheldSessions } from "../../store/memory/privacy/secrets.ts";
import { askForOldLines } from "./conversation-requests.ts";

it("old lines are queued once for the language model, and withhold nothing", async () => {
  const { memory, store, remove } = temporaryWork();
  await store("one", prompt("a question"), text("an answer"));
  const two = await store("two", prompt("another question"), text("another answer"));
  enqueue(memory, { kind: "deep-scrub", subject: "two" });
  expect([askForOldLines(memory), askForOldLines(memory)]).toEqual([1, 0]);
  // What has new lines stays withheld.
  expect(withheldSessions(memory)).toEqual([two.id]);
  remove();
});
