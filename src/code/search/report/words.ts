import { formatCount } from "../../../base/text/counted.ts";
import type { ReportEvidence } from "./evidence.ts";
import type { Report } from "./read-report.ts";

/** What was asked of the index with a report, in a line. */
export function describeReport(
  { title, prose, code, errors, frames }: Report,
  { found }: ReportEvidence,
): string {
  const words = prose.split(/\s+/).filter((word) => word !== "").length;
  const lines = code === "" ? 0 : code.split("\n").length;
  const parts = [
    `its title (${title.length > 60 ? `${title.slice(0, 59)}…` : title})`,
    words > 0 && formatCount(words, "word"),
    lines > 0 && formatCount(lines, "line of code or output", "lines of code or output"),
    errors.length > 0 && formatCount(errors.length, "error line"),
    frames.length > 0 && `${formatCount(frames.length, "stack frame")}, ${found.frames} of them here`,
    found.names > 0 && `${formatCount(found.names, "name")} defined here`,
  ].filter((part) => part !== false);
  return `Read as a report. Asked with ${parts.join("; ")}.`;
}
