import type { AuditRecord } from "../../answers/audit.ts";
import { ago, type Document, faint, line, makeDocument, quoted, table } from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";

interface AuditedQuestions {
  enabled: boolean;
  total: number;
  records: readonly AuditRecord[];
}

/** The questions that were asked last, and what they got. */
export function wordAudit({ enabled, total, records }: AuditedQuestions): Document {
  return makeDocument([
    records.length === 0
      ? line("No questions recorded.")
      : table(
          [{ title: "" }, { title: "" }, { title: "" }, { title: "" }, { title: "", wraps: true }],
          records.map(({ at, channel, operation, error, results, bytes, question }) => [
            ago(at),
            channel,
            operation,
            { text: error ?? `${results} results, ${formatBytes(bytes)}` },
            quoted(question ?? "(forgotten)"),
          ]),
        ),
    ...(records.length < total ? [line(faint(`${records.length} of ${total} records`))] : []),
    ...(enabled
      ? []
      : [line(faint("Nothing is recorded now: `pm config set --global audit.enabled true` turns it on."))]),
  ]);
}

interface AuditReport {
  records: number;
  head: { n: number; sha256: string } | null;
  broken: { record: number; file: string; reason: string } | null;
}

/** Whether any record was changed or is missing. */
export function wordAuditCheck({ records, head, broken }: AuditReport): Document {
  const count = formatCount(records, "record");
  if (broken === null)
    return [[line(`${count}, none changed or missing.`, head !== null && ` Last: ${head.n} ${head.sha256}`)]];
  return [
    [
      line(
        `Record ${broken.record} (`,
        { text: broken.file },
        `): ${broken.reason}. ${count} before it are intact.`,
      ),
    ],
  ];
}
