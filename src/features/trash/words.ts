import { type Document, doneLine, line, table } from "../../answers/document.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import type { TrashEntry } from "../forget/operation.ts";

/** Said of whatever was put into the trash. */
export const undoHint = ({ kept_until }: Pick<TrashEntry, "kept_until">): string =>
  `\`pm memory undo\` brings it back until ${kept_until.slice(0, 10)}.`;

/** What can be brought back. */
export const wordTrash = (found: readonly TrashEntry[]): Document =>
  found.length === 0
    ? [[line("The trash is empty.")]]
    : [
        [
          table(
            [
              { title: "#", isNumber: true },
              { title: "taken" },
              { title: "by" },
              { title: "what", wraps: true },
              { title: "kept until" },
            ],
            found.map(({ number, taken_at, command, what, kept_until }) => [
              `${number}`,
              formatRelativeTime(Date.parse(taken_at)),
              command,
              { text: what },
              kept_until.slice(0, 10),
            ]),
          ),
        ],
      ];

/** @param replaced what was in its place, and can be brought back in turn */
export const wordUndone = (undone: TrashEntry, replaced: { number: number } | null): Document => [
  [
    doneLine(
      `Brought back what \`${undone.command}\` took ${formatRelativeTime(Date.parse(undone.taken_at))}: `,
      { text: undone.what },
      ".",
    ),
    ...(replaced ? [line(`What was in its place: \`pm memory undo ${replaced.number}\`.`)] : []),
  ],
];
