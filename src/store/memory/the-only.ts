import { PommelError } from "../../base/errors.ts";

/**
 * The one thing that a person means.
 * @param found what they may mean; a few of them are named where it is not one
 * @param hint where none is found
 * @throws PommelError `not_found`; `usage` for several
 */
export function requireOnly<T>(
  found: readonly T[],
  { kind, asked, idOf, hint }: { kind: string; asked: string; idOf: (one: T) => string; hint: string },
): T {
  const [only, ...others] = found;
  if (!only) throw new PommelError("not_found", `No ${kind} ${JSON.stringify(asked)}.`, hint);
  if (others.length === 0) return only;
  const some = found.slice(0, 3).map(idOf).join(", ");
  throw new PommelError(
    "usage",
    `Several ${kind}s match ${JSON.stringify(asked)}: ${some}${found.length > 3 ? ", ..." : ""}.`,
    "Use a longer prefix, or the whole id.",
  );
}
