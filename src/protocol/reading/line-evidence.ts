import type { LineAuthor } from "../operations/blame.ts";
import type { AttributionBasis } from "../values.ts";

/** A command line shows that a command ran, and not what it wrote: no figure would say how sure that is. */
const byCommand: ReadonlySet<AttributionBasis | null> = new Set([
  "ran",
  "named",
  "generated",
  "installed",
  "replaced",
  "brought",
] as const);

/** How sure it is who wrote a line: "98%", or "ran a command"; "" where nobody is named, or another tool says so. */
export function lineEvidence({ author, confidence, basis, said_by }: LineAuthor): string {
  if ((author !== "agent" && author !== "human") || said_by !== "pommel") return "";
  return author === "agent" && byCommand.has(basis) ? "ran a command" : `${Math.round(100 * confidence)}%`;
}
