/** A database's tables, and how it comes to them. Its number is the `user_version` of the file; 0: nothing was made yet. */
export interface Schema {
  /** The number of what the first step makes. Nothing that has a lower one was released. */
  first: number;
  /** SQL: the first step makes a new database, each further one raises the number by one. Never edit one that was released. */
  steps: readonly string[];
}

export const findLatestNumber = ({ first, steps }: Schema): number => first + steps.length - 1;

/** The number after this one, and the step that leads to it. */
export function stepAfter({ first, steps }: Schema, number: number): { to: number; sql: string } {
  const to = Math.max(first, number + 1);
  return { to, sql: steps[to - first]! };
}

/** The schema as it was at a number, or at its first one. */
export const truncateSchema = ({ first, steps }: Schema, number: number): Schema => ({
  first,
  steps: steps.slice(0, Math.max(1, number - first + 1)),
});
