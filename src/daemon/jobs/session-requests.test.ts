import { expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { prompt, text } from "../../../test/support/turn-fixture.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { listWithheldSessions } from "../../store/memory/privacy/secrets.ts";
import { askForOldLines, askForReading, askForSessions, priority } from "./session-requests.ts";

it("past sessions that are imported wait for those that go on now", () => {
  const { memory, remove } = temporaryWork();
  askForReading(memory, "/older.jsonl", { is_import: true, urgency: 5 });
  askForReading(memory, "/past.jsonl", { is_import: true, urgency: 1 });
  askForReading(memory, "/now.jsonl", {});
  askForReading(memory, "/seen.jsonl", { priority: priority.watched });
  const inOrder = listJobs(memory).map(({ subject }) => subject);
  expect(inOrder).toEqual(["/now.jsonl", "/seen.jsonl", "/past.jsonl", "/older.jsonl"]);
  remove();
});

it("a session that somebody asks about is read before all others", () => {
  const { memory, remove } = temporaryWork();
  askForReading(memory, "/now.jsonl", {});
  askForReading(memory, "/0f3a1b2c-past.jsonl", { is_import: true });
  expect(askForSessions(memory, "ffff")).toEqual([]);
  expect(askForSessions(memory, "0f3a1b2c")).toHaveLength(1);
  const [first] = listJobs(memory);
  expect(first).toMatchObject({ subject: "/0f3a1b2c-past.jsonl", payload: { is_import: true } });
  remove();
});

it("old lines are queued once for the language model, and withhold nothing", async () => {
  const { memory, store, remove } = temporaryWork();
  await store("one", prompt("a question"), text("an answer"));
  const two = await store("two", prompt("another question"), text("another answer"));
  enqueue(memory, { kind: "deep-scrub", subject: "two" });
  expect([askForOldLines(memory), askForOldLines(memory)]).toEqual([1, 0]);
  // What has new lines stays withheld.
  expect(listWithheldSessions(memory)).toEqual([two.id]);
  remove();
});
