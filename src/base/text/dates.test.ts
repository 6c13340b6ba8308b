import { describe, expect, it } from "vitest";
import { parseWhen } from "./dates.ts";

/** A Wednesday, in local time. */
const now = new Date(2026, 2, 18, 15, 30);
const at = (...[year, month, day, hour = 0, minute = 0]: [number, number, number, number?, number?]) =>
  new Date(year, month - 1, day, hour, minute).getTime();
const since = (text: string) => parseWhen(text, "since", now);
const until = (text: string) => parseWhen(text, "until", now);

describe("ISO 8601", () => {
  it("is a moment, in local time where it names no zone", async () => {
    expect(await since("2026-01-31T10:05")).toBe(at(2026, 1, 31, 10, 5));
    expect(await until("2026-01-31 10:05")).toBe(at(2026, 1, 31, 10, 5));
    expect(await since(" 2026-01-31T10:05:07.250Z ")).toBe(Date.UTC(2026, 0, 31, 10, 5, 7, 250));
    expect(await until("2026-01-31T10:05+02:00")).toBe(Date.UTC(2026, 0, 31, 8, 5));
  });

  it.each([
    ["2026-01-31", at(2026, 1, 31), at(2026, 2, 1)],
    ["2026-02", at(2026, 2, 1), at(2026, 3, 1)],
    ["2024", at(2024, 1, 1), at(2025, 1, 1)],
  ])("%s lasts from its beginning to its end", async (text, start, next) => {
    expect(await since(text)).toBe(start);
    expect(await until(text)).toBe(next - 1);
  });

  it.each(["2026-02-30", "2026-13-01", "2026-00-10", "2026-02-30T10:00", "2026-01-31T25:00"])(
    "%s is on no calendar",
    async (text) => {
      await expect(since(text)).rejects.toMatchObject({ code: "usage" });
    },
  );
});

describe("in words", () => {
  it.each([
    ["yesterday", at(2026, 3, 17), at(2026, 3, 18)],
    ["today", at(2026, 3, 18), at(2026, 3, 19)],
    ["last friday", at(2026, 3, 13), at(2026, 3, 14)],
    ["friday", at(2026, 3, 13), at(2026, 3, 14)],
    ["january", at(2026, 1, 1), at(2026, 2, 1)],
    ["3 January 2026", at(2026, 1, 3), at(2026, 1, 4)],
    ["jan 3 - jan 5", at(2026, 1, 3), at(2026, 1, 6)],
    ["last week", at(2026, 3, 11), at(2026, 3, 18)],
    ["Past month", at(2026, 2, 18), at(2026, 3, 18)],
    ["last year", at(2025, 3, 18), at(2026, 3, 18)],
  ])("%s lasts from its first day to its last", async (text, start, next) => {
    expect(await since(text)).toBe(start);
    expect(await until(text)).toBe(next - 1);
  });

  it.each([
    ["this week", at(2026, 3, 16)],
    ["this month", at(2026, 3, 1)],
    ["this year", at(2026, 1, 1)],
  ])("%s lasts until now", async (text, start) => {
    expect(await since(text)).toBe(start);
    expect(await until(text)).toBe(now.getTime());
  });

  it.each([
    ["now", now.getTime()],
    ["3 days ago", at(2026, 3, 15, 15, 30)],
    ["2h", at(2026, 3, 18, 13, 30)],
    ["3d", at(2026, 3, 15, 15, 30)],
    ["1 w", at(2026, 3, 11, 15, 30)],
    ["2 hours ago", at(2026, 3, 18, 13, 30)],
    ["yesterday at 10:15", at(2026, 3, 17, 10, 15)],
  ])("%s is a moment", async (text, moment) => {
    expect(await since(text)).toBe(moment);
    expect(await until(text)).toBe(moment);
  });

  it("goes back to a day that the month before has", async () => {
    const endOfMarch = new Date(2026, 2, 31, 12);
    expect(await parseWhen("last month", "since", endOfMarch)).toBe(at(2026, 2, 28));
    expect(await parseWhen("last year", "since", new Date(2024, 1, 29))).toBe(at(2023, 2, 28));
  });
});

it.each(["", "banana", "the retry of the 3rd request, which was flaky", "99999999999"])(
  "%j is no time",
  async (text) => {
    await expect(since(text)).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("last week"),
    });
  },
);
