import {
  caution,
  command as commandLine,
  type Document,
  faint,
  faintlyAgo,
  indentedLine,
  joinParts,
  line,
  makeDocument,
  makeTurnPiece,
  type Paragraph,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import type { DefinedScript, HowAnswer, WorkingCommand } from "./operation.ts";

const nothingLikeIt = "No such command found: no recorded session ran one that succeeded.";

/** How often a command worked; the counts are of all lines of its form. */
export function wordCounts({
  form,
  line,
  worked,
  failed,
}: Pick<WorkingCommand, "form" | "line" | "worked" | "failed">): string {
  const counts = `worked ${formatCount(worked, "time")}${failed > 0 ? `, failed ${formatCount(failed, "time")}` : ""}`;
  return form === "" || form === line ? counts : `${form} ${counts}`;
}

/** Command lines that worked, each with what is known of it. */
export function wordHow({ verdict, commands, scripts }: HowAnswer): Document {
  if (verdict === "none") return [[line(nothingLikeIt)]];
  return makeDocument(
    verdict === "maybe" && [line(faint("Maybe:"))],
    ...commands.map(wordCommand),
    ...scripts.map(wordScript),
  );
}

function wordCommand(command: WorkingCommand): Paragraph {
  const { task, directory, purpose, last_at, agent, author, session_id, turn, took_ms } = command;
  return [
    ...(task === null ? [] : [line(faint(task))]),
    ...(directory === "" ? [] : [line(faint(`in ${directory}`))]),
    line(commandLine(command.line)),
    indentedLine(
      2,
      2,
      ...joinParts(
        [
          faint(wordCounts(command)),
          [
            faint("last"),
            " ",
            faintlyAgo(last_at),
            " ",
            faint(`(${agent}, session `),
            makeTurnPiece(session_id, turn, "faint"),
            faint(")"),
          ],
          faint(formatSharedBy(author)),
          took_ms !== null && faint(formatDuration(took_ms)),
          faint(purpose),
        ],
        " | ",
      ),
    ),
    ...command.failed_before.map((before) =>
      indentedLine(2, 2, caution(`Failed first: ${before.line} (${before.error})`)),
    ),
  ];
}

const wordScript = ({ line: script, title, file, task }: DefinedScript): Paragraph => [
  ...(task === null ? [] : [line(faint(task))]),
  line(commandLine(script)),
  indentedLine(
    2,
    2,
    ...joinParts([faint(`defined in ${file}`), faint("no run recorded"), faint(title)], " | "),
  ),
];
