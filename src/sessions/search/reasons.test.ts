import { expect, it } from "vitest";
import { listSessionReasons } from "./reasons.ts";

const plain = { content: "[USER] Why is the Retry of 0.4 flaky, in step x?" };
const nothing = { nearness: 0, asked: 0 };
const near = { nearness: 3.05, asked: 0 };

it("are the words that it holds, in any case and form, at most four", () => {
  expect(listSessionReasons(plain, ["retries", "Flaky", "lunch"], nothing)).toEqual([
    "mentions retries, Flaky",
  ]);
  expect(listSessionReasons(plain, ["why", "is", "the", "retry", "flaky"], nothing)).toEqual([
    "mentions why, is, the, retry",
  ]);
  expect(listSessionReasons(plain, ["lunch"], nothing)).toEqual([]);
});

it("name no number and no letter, which say nothing alone", () => {
  expect(listSessionReasons(plain, ["retry", "0", "4", "x"], nothing)).toEqual(["mentions retry"]);
  expect(listSessionReasons(plain, ["0", "4"], nothing)).toEqual([]);
});

it("are that it means the same, where its words do not show it", () => {
  expect(listSessionReasons(plain, ["lunch"], { nearness: 2.95, asked: 0 })).toEqual([]);
  expect(listSessionReasons(plain, ["lunch"], near)).toEqual(["similar in meaning"]);
  expect(listSessionReasons(plain, ["retry", "lunch", "break"], near)).toEqual([
    "mentions retry",
    "similar in meaning",
  ]);
  expect(listSessionReasons(plain, ["retry", "flaky"], near)).toEqual(["mentions retry, flaky"]);
});

it("are what the session was asked, where the turn holds no word", () => {
  const asked = { nearness: 0, asked: 2.3 };
  expect(listSessionReasons(plain, ["lunch"], asked)).toEqual(["its title, branch or prompts match"]);
  expect(listSessionReasons(plain, ["retry"], asked)).toEqual(["mentions retry"]);
});
