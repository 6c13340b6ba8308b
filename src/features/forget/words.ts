import { type Document, doneLine, indentedLine, line } from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { listThings } from "../../protocol/reading/things.ts";
import { undoHint } from "../trash/words.ts";
import type { ForgetRequest, ForgetResponse } from "./operation.ts";

/** Whether nothing is kept of it, neither in the trash nor in backups: a text and a pattern are always forgotten in this way. */
export const isForgottenForGood = ({ for_good, pattern, text }: ForgetRequest): boolean =>
  for_good === true || pattern !== undefined || text !== undefined;

/** Examples of what a pattern matches. */
const linesShown = 10;

/** What would go. @param isNote whose text stands in a prompt, too */
export function wordForgetting(report: ForgetResponse, isNote: boolean): Document {
  const { sessions, turns, chunks, annotations, matches, questions, examples } = report;
  const counts = listThings({ sessions, turns, annotations, chunks, questions });
  const head =
    matches > 0
      ? `${formatCount(matches, "place")}${counts.length > 0 ? ` in ${counts.join(", ")}` : ""}:`
      : `${counts.join(", ")}:`;
  return [
    [
      line(head),
      ...examples.slice(0, linesShown).map((text) => indentedLine(2, 4, { text, quotedChars: 100 })),
      ...(examples.length > linesShown ? [line("  ...")] : []),
      ...(isNote ? [line("  (the text stays in its prompt: see --turn)")] : []),
    ],
  ];
}

/** @param shared what stays elsewhere */
export const wordForgotten = (
  { trash }: ForgetResponse,
  { isPattern, shared }: { isPattern: boolean; shared: readonly string[] },
): Document => [
  [
    doneLine(
      trash
        ? `Forgotten. ${undoHint(trash)}`
        : "Forgotten for good: nothing is kept, and it cannot be undone.",
    ),
    ...(isPattern
      ? [
          line(
            "If this text occurs in a later session, Pommel records it again. To prevent this, add a pattern to scrubbing-patterns.toml (`pm memory scrub --init`).",
          ),
        ]
      : []),
    ...shared.map((text) => line(text)),
  ],
];
