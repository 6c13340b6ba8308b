import { expect, test } from "vitest";
import type { BlameRange } from "../operation.ts";
import { chooseLineColour, computeSessionHue, findTimeRange } from "./colours.ts";

const range = (more: Partial<BlameRange>) => ({ session_id: null, authored_at: null, ...more }) as BlameRange;

test("a session has a colour of its own, always the same", () => {
  expect(computeSessionHue("a")).toBe(computeSessionHue("a"));
  expect(computeSessionHue("a")).not.toBe(computeSessionHue("b"));
  const [first, second] = ["s", "t"].map((session_id) =>
    chooseLineColour(range({ session_id }), "session", 0, 1),
  );
  expect(first).not.toBe(second);
  expect(chooseLineColour(range({}), "session", 0, 1)).toBe("var(--border-strong)");
});

test("the newest lines have the strongest colour, and lines of one age all have it", () => {
  const at = (authored_at: string) => range({ authored_at });
  const [old, young] = [at("2026-01-01T00:00:00Z"), at("2026-03-01T00:00:00Z")];
  const { oldest, newest } = findTimeRange([young, old]);
  expect(chooseLineColour(old, "age", oldest, newest)).toContain("8%");
  expect(chooseLineColour(young, "age", oldest, newest)).toContain("100%");
  const alone = findTimeRange([old]);
  expect(chooseLineColour(old, "age", alone.oldest, alone.newest)).toContain("100%");
});
