import type { Agent } from "../../agents/agent.ts";
import {
  type Document,
  type DocumentBlock,
  doneLine,
  factTable,
  line,
  mark,
  type ShownTime,
} from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration } from "../../base/text/duration.ts";
import type { ImportPreview } from "../../sessions/ingest/import-preview.ts";
import type { AlineImport, AlinePlan } from "./import-aline.ts";

/** "Skipped: 2 sessions older, 1 session forgotten before." */
function wordSkipped(parts: readonly (string | false)[]): DocumentBlock[] {
  const left = parts.filter((part) => part !== false);
  return left.length === 0 ? [] : [line(`Skipped: ${left.join(", ")}.`)];
}

/** What there is to import. @param root null: of all projects */
export function wordFound(preview: ImportPreview, { title }: Agent, root: string | null): Document {
  const { files, sessions, subagents, bytes, from, to, estimatedMs, imported, elsewhere, older, forgotten } =
    preview;
  const skipped = wordSkipped([
    imported.sessions > 0 && `${formatCount(imported.sessions, "session")} already imported`,
    older > 0 && `${formatCount(older, "session")} older`,
    forgotten > 0 && `${formatCount(forgotten, "session")} forgotten before`,
    elsewhere.sessions > 0 &&
      `${formatCount(elsewhere.sessions, "session")} of other projects (--all-projects)`,
  ]);
  if (files.length === 0) {
    const where = root === null ? "" : ` for ${root}`;
    return [[line(`No new ${title} sessions to import`, { text: where }, "."), ...skipped]];
  }
  const toDay = (at: number | null): ShownTime | string =>
    at === null ? "?" : { at: new Date(at).toISOString(), form: "day" };
  const [first, last] = [toDay(from), toDay(to)];
  return [
    [
      line(`Sessions with ${title} `, { text: root === null ? "from everywhere" : `in ${root}` }),
      ...factTable([
        [
          "Sessions:",
          `${sessions.toLocaleString("en")}${subagents > 0 ? `, and ${subagents.toLocaleString("en")} of subagents` : ""}`,
        ],
        ["Size:", formatBytes(bytes)],
        // When a file was last changed, which a copy does not keep.
        ["From:", first, "; the files were last changed ", last],
        ["Estimated time:", estimatedMs < 1000 ? "a second" : `about ${formatDuration(estimatedMs)}`],
      ]),
      ...skipped,
    ],
  ];
}

interface Imported {
  failed: readonly unknown[];
  sessions: number;
  chunks: number;
  took_ms: number;
}

export const wordImported = ({ failed, sessions, chunks, took_ms }: Imported): Document => [
  [
    line(
      mark(failed.length > 0 ? "warn" : "ok"),
      ` Imported ${formatCount(sessions, "session")}, ${formatCount(chunks, "chunk")}, ${formatDuration(took_ms)}.`,
    ),
    line(
      failed.length > 0
        ? `${formatCount(failed.length, "transcript")} could not be read: \`pm daemon queue retry\` retries.`
        : '  Search them:  pm search sessions "how did we ..."',
    ),
  ],
];

/** What Aline's database has. */
export function wordAline(plan: AlinePlan, preview: ImportPreview): Document {
  const read = plan.transcripts.length - preview.files.length;
  return [
    [
      line("Sessions in ", { text: plan.file }),
      ...factTable([
        ["Transcripts:", `${plan.transcripts.length}${read > 0 ? ` (${read} read already)` : ""}`],
        ["From the database:", `${plan.sessions.length}`],
      ]),
      ...wordSkipped([
        plan.older > 0 && `${formatCount(plan.older, "session")} older`,
        plan.elsewhere > 0 && `${formatCount(plan.elsewhere, "session")} of other projects (--all-projects)`,
        plan.nowhere > 0 && `${formatCount(plan.nowhere, "session")} of unknown projects (--all-projects)`,
      ]),
    ],
  ];
}

export function wordAlineImport(taken: AlineImport, { files }: ImportPreview, failed: number): Document {
  const { sessions, events, commits } = taken;
  const parts = [
    formatCount(sessions.new + files.length, "session"),
    formatCount(events, "event"),
    `${commits.taken_in} of the ${formatCount(commits.named, "commit")} it names`,
  ];
  const done = `Imported: ${parts.join(", ")}.`;
  return [
    [
      failed > 0 ? line(mark("warn"), ` ${done}`) : doneLine(done),
      ...wordSkipped([
        sessions.known > 0 && `${sessions.known} already imported`,
        sessions.forgotten > 0 && `${sessions.forgotten} forgotten before`,
        sessions.empty > 0 && `${sessions.empty} empty`,
      ]),
    ],
  ];
}

/** "3 transcripts were deleted before they could be read." */
export const describeGone = (gone: number): string =>
  `${formatCount(gone, "transcript")} ${gone === 1 ? "was" : "were"} deleted before ${gone === 1 ? "it" : "they"} could be read.`;
