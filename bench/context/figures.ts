import type { Asked } from "./ask.ts";

export interface ContextFigures {
  /** Prompts with automatic context. */
  told: number;
  /** Share of these with context from a session that theirs continues. */
  precision: number;
  /** Share of the quotations that are from such a session. */
  ofItems: number;
  /** Share of the quotations that count as used, although the agent never saw them. */
  usedAnyway: number;
  /** Among prompts whose session continues others, the share with context from one of those. */
  recall: number;
  /** Average size of one injection. */
  tokens: number;
}

/** The figures at a threshold. */
export function figuresAt(
  asked: readonly Asked[],
  continued: ReadonlyMap<string, ReadonlySet<string>>,
  least: number,
): ContextFigures {
  let [told, right, items, rightItems, tokens, going, used] = [0, 0, 0, 0, 0, 0, 0];
  for (const { name, items: all, tokensAt } of asked) {
    const wanted = continued.get(name) ?? new Set();
    if (wanted.size > 0) going++;
    const shown = all.filter(({ score }) => score >= least);
    if (shown.length === 0) continue;
    const good = shown.filter(({ session }) => wanted.has(session)).length;
    told++;
    tokens += tokensAt(least);
    items += shown.length;
    rightItems += good;
    used += shown.filter(({ isUsedAnyway }) => isUsedAnyway).length;
    if (good > 0) right++;
  }
  return {
    told,
    precision: right / told,
    ofItems: rightItems / items,
    usedAnyway: used / items,
    recall: right / going,
    tokens: tokens / told,
  };
}
