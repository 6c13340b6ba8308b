import type { Screen } from "../../src/cli/terminal/output.ts";
import { createPalette } from "../../src/cli/terminal/palette.ts";

/** A terminal of so many columns; without a number a pipe. */
export function screenOf(columns?: number, { color = false, links = false, now = Date.now() } = {}): Screen {
  return { colors: createPalette({ color, links }), columns, now };
}
