/** How much of a session is shown: prompts with what came of them, prompts with answers, or all that was said and done. */
export const densities = [
  ["story", "Story"],
  ["answers", "Answers"],
  ["", "Everything"],
] as const;

export type Density = (typeof densities)[number][0];

export const findDensity = (name: string | null): Density =>
  densities.find(([known]) => known === name)?.[0] ?? "";
