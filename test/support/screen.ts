import type { Screen } from "../../src/terminal/output.ts";
import { createPalette } from "../../src/terminal/palette.ts";

/** A terminal of so many columns; without a number a pipe. */
export function screenOf(columns?: number, { color = false, links = false, now = Date.now() } = {}): Screen {
  return { colors: createPalette({ color, links }), columns, now };
}
