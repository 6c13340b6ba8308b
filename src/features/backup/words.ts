import { basename, dirname } from "node:path";
import { type Document, indentedLine, line, makeDocument, table } from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import type { ListedBackup, RestorePreview } from "./backups.ts";

/** What each is for, as people read it. */
const reasons: Record<ListedBackup["reason"], string> = {
  daily: "daily",
  manual: "pm memory backup",
  migration: "before an update",
  replaced: "before a restore",
};

/** @param isShort directories stand below the table */
export function wordBackups(found: readonly ListedBackup[], isShort: boolean): Document {
  if (found.length === 0)
    return [[line("No backups yet. `pm memory backup` makes one; the daemon makes one a day.")]];
  const directories = new Set(found.map(({ file }) => dirname(file)));
  return makeDocument(
    [
      table(
        [
          { title: "#", isNumber: true },
          { title: "when" },
          { title: "why" },
          { title: "sessions", isNumber: true, optional: 1 },
          { title: "notes", isNumber: true, optional: 2 },
          { title: "size", isNumber: true, optional: 3 },
          { title: "file", wraps: true },
        ],
        found.map(({ file, at, bytes, reason, content }, i) => [
          `${i + 1}`,
          formatRelativeTime(at),
          reasons[reason],
          content === null ? "damaged" : content === "locked" ? "locked" : `${content.sessions}`,
          content !== null && content !== "locked" && `${content.notes}`,
          formatBytes(bytes),
          { text: isShort ? basename(file) : file },
        ]),
      ),
    ],
    isShort && [...directories].map((directory) => line("in ", { text: directory })),
  );
}

/** What a restore would change. */
export function wordRestore(backup: string, { lost, gained, holds }: RestorePreview): Document {
  const count = ({ sessions, notes }: { sessions: number; notes: number }) =>
    `${formatCount(sessions, "session")}, ${formatCount(notes, "note")}`;
  const last = holds?.last_at ? `, the last change ${formatRelativeTime(Date.parse(holds.last_at))}` : "";
  const held = holds && `holds ${count(holds)}, ${formatCount(holds.commits, "commit")}${last}`;
  const changes =
    lost === null || gained === null
      ? ["the present memory cannot be read, or is missing"]
      : [`would be lost: ${count(lost)}`, `would come back: ${count(gained)}`];
  return [
    [
      line("Restore ", { text: backup }),
      ...[...(held === null ? [] : [held]), ...changes].map((text) => indentedLine(2, 4, text)),
    ],
  ];
}
