import type { Palette } from "./palette.ts";

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** A horizontal bar of a share between 0 and 1, exact to an eighth of a column; never empty where there is something. */
export function drawBar(share: number, width: number): string {
  const bounded = Math.min(1, Math.max(0, share));
  const parts = bounded > 0 ? Math.max(1, Math.round(bounded * width * 8)) : 0;
  return "█".repeat(Math.floor(parts / 8)) + eighths[parts % 8]!;
}

/** How far something is: `[██████░░░░]`. */
export function drawProgressBar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${"█".repeat(filled)}${"░".repeat(width - filled)}]`;
}

/** Numbers as a row of small columns, each a share of the largest; a dot for nothing. */
export function drawSparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values.map((value) => (value <= 0 ? "·" : "▁▂▃▄▅▆▇█"[Math.ceil((value / most) * 8) - 1])).join("");
}

interface CountedLines {
  agent: number;
  human: number;
  unknown: number;
  before_agents?: number;
}

/** Lines by who wrote them as one bar: agents, people, unknown, before agents. Every kind that wrote any has a column. */
export function drawAuthorBar(
  { agent, human, unknown, before_agents: before = 0 }: CountedLines,
  width: number,
  colors: Palette,
): string {
  const all = agent + human + unknown + before;
  if (all === 0) return "";
  const toColumns = (lines: number) => (lines === 0 ? 0 : Math.max(1, Math.round((lines / all) * width)));
  const widths = [agent, human, unknown, before].map(toColumns);
  // The rounded widths may add up to a column too many or too few: the widest part makes up for it.
  const widest = widths.indexOf(Math.max(...widths));
  widths[widest]! += width - widths.reduce((sum, one) => sum + one, 0);
  const [a = 0, h = 0, u = 0, b = 0] = widths;
  return (
    colors.agent("█".repeat(a)) + colors.human("▓".repeat(h)) + colors.dim("░".repeat(u) + "·".repeat(b))
  );
}
