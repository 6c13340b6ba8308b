import { expect, it } from "vitest";
import { reasonsFor } from "./reasons.ts";

const plain = {
  chunk_type: "raw" as const,
  kind: "conversation" as const,
  content: "[USER] Why is the Retry flaky?",
  abandoned: false,
};
const nothing = { passage: 0, whole: 0, session_asked: 0 };

it("are the words that it says, in any case, at most four", () => {
  expect(reasonsFor(plain, ["retry", "Flaky", "lunch"], nothing)).toEqual(["contains retry, Flaky"]);
  expect(reasonsFor(plain, ["why", "is", "the", "retry", "flaky"], nothing)).toEqual([
    "contains why, is, the, retry",
  ]);
  expect(reasonsFor(plain, ["lunch"], nothing)).toEqual([]);
});

it("are that it means the same", () => {
  expect(reasonsFor(plain, ["lunch"], { passage: 3, whole: 2.9, session_asked: 0 })).toEqual([]);
  expect(reasonsFor(plain, ["lunch"], { passage: 4, whole: 2.1, session_asked: 0 })).toEqual([
    "similar in meaning",
  ]);
});

it("are what it is, the strongest first", () => {
  const note = { ...plain, chunk_type: "annotated" as const, kind: "decision" as const, abandoned: true };
  expect(reasonsFor(note, ["retry"], { passage: 9, whole: 9, session_asked: 0 })).toEqual([
    "your note",
    "contains retry",
    "similar in meaning",
    "a decision",
    "abandoned branch",
  ]);
  expect(reasonsFor({ ...plain, chunk_type: "summary", kind: "error-fix" }, ["lunch"], nothing)).toEqual([
    "a session's summary",
    "an error that was fixed",
  ]);
});
