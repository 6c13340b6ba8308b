import { expect, test } from "vitest";
import { formatWithUnit, parseWithUnit, type Unit } from "./units.ts";

test.each([
  ["bytes", 1_048_576, "1 MiB"],
  ["bytes", 1_500_000, "1,500 kB"],
  ["bytes", 80, "80 B"],
  ["bytes", 1_048_577, "1,048,577 B"],
  ["milliseconds", 250, "250 ms"],
  ["milliseconds", 1000, "1,000 ms"],
  ["days", 0, "0 days"],
  ["days", 1, "1 day"],
  ["days", 30, "30 days"],
  ["tokens", 200_000, "200,000 tokens"],
] satisfies [Unit, number, string][])(
  "%s: %d is shown as %s, which is read as the same",
  (unit, value, text) => {
    expect(formatWithUnit(value, unit)).toBe(text);
    expect(parseWithUnit(text, unit)).toBe(value);
  },
);

test.each([
  ["bytes", "512kb", 512_000],
  ["bytes", "1.5 MB", 1_500_000],
  ["milliseconds", "2 s", 2000],
  ["days", "2 weeks", 14],
  ["tokens", "1.5M", 1_500_000],
  ["bytes", "1048576", null],
  ["bytes", "1 day", null],
  ["bytes", "0.0001 kB", null],
  ["bytes", "1.2.3 MB", null],
  ["bytes", "-1 MB", null],
  ["days", "", null],
] satisfies [Unit, string, number | null][])("%s: %s is read as %j", (unit, text, value) => {
  expect(parseWithUnit(text, unit)).toBe(value);
});
