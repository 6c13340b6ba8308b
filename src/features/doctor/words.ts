import { basename } from "node:path";
import { type Document, hint, indentedLine, line, makeDocument, mark } from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { listThings } from "../../protocol/reading/things.ts";
import type { CheckResult } from "./checks/check.ts";
import type { Repaired } from "./findings.ts";

/** The JSON of what `pm doctor --repair` did; null for what was sound. */
export interface Repairs {
  index: { aside: string } | null;
  memory: Repaired | null;
}

/** @param width of all names, in columns */
export function wordCheck(
  name: string,
  { status, message, hint: advice }: CheckResult,
  width: number,
): Document {
  const indent = width + 4;
  return [
    [
      indentedLine(0, indent, mark(status), ` ${name.padEnd(width)}  `, { text: message }),
      ...(advice === "" ? [] : [indentedLine(indent, indent, hint(advice))]),
    ],
  ];
}

export function wordTotals(failed: number, warned: number): Document {
  const warnings = formatCount(warned, "warning");
  const sum =
    failed > 0
      ? `${formatCount(failed, "problem")}, ${warnings}.`
      : warned > 0
        ? `Works, with ${warnings}.`
        : "All checks passed.";
  return [[line(""), line(sum)]];
}

/** What was rebuilt and saved, and what was lost. */
export function wordRepairs({ index, memory }: Repairs): Document {
  return makeDocument(
    index !== null && [line("The index was damaged; it is rebuilt.")],
    memory !== null && wordSaved(memory),
  );
}

function wordSaved({
  saved,
  lost,
  incomplete,
  bare,
  harmed,
  rereads,
  aside,
}: NonNullable<Repairs["memory"]>) {
  const rows = Object.entries(lost).filter(([, n]) => n > 0);
  return [
    `Saved: ${listThings(saved).join(", ") || "nothing"}.`,
    `Lost rows: ${rows.map(([table, n]) => `${table} ${n.toLocaleString("en")}`).join(", ") || "none that are known"}.`,
    incomplete.length > 0 && `Perhaps more of: ${incomplete.join(", ")}.`,
    bare.length > 0 && `Known by id only: ${formatCount(bare.length, "session")}.`,
    harmed.length > 0 &&
      `${formatCount(harmed.length, "session")} missed something; ${formatCount(rereads.length, "transcript")} that still exist are read again. Text that \`pm memory forget --text\` or \`--match\` had removed from them comes back, so run that command again.`,
    `The damaged file stays as ${basename(aside)}; delete it when nothing is missing.`,
  ].flatMap((text) => (text === false ? [] : [line(text)]));
}
