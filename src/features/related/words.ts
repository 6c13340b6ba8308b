import {
  ago,
  type Document,
  type DocumentBlock,
  faint,
  heading,
  id,
  indentedLine,
  joinParts,
  line,
  makeDocument,
  type Paragraph,
  place,
  quoted,
  strong,
  wordShown,
} from "../../answers/document.ts";
import type { FileAround } from "../../protocol/graph.ts";
import { namePrompt, nameTitle, nameTurn } from "../../protocol/reading/names.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { wordDecision } from "../decisions/words.ts";
import type { RelatedAnswer, RelatedSession } from "./operation.ts";

/** Files of a session that are named before the rest is counted. */
const maxFiles = 4;

const noneRelated = "No recorded session touched these files.";
const nothingChanged = "No uncommitted changes.";

/** Sessions that touched files, what was decided about them, and the code around them. @param query "": none */
export function wordRelated(found: RelatedAnswer, query: string, isOfFiles: boolean): Document {
  const { sessions, decisions, total, looked_for } = found;
  if (sessions.length + decisions.length === 0 && query !== "" && !isOfFiles)
    return [
      [
        line("Nothing found about “", { text: query }, "”."),
        line("Sessions that touched a file: pm code related --files FILE."),
      ],
    ];
  if (looked_for === 0 && query === "")
    return [[line(`${nothingChanged} Name files: pm code related --files src/db.ts`)]];
  return makeDocument(
    ...(sessions.length === 0 ? [[line(noneRelated)]] : sessions.map(wordSession)),
    wordShown(sessions.length, total, " sessions"),
    decisions.length > 0 && [heading("Decisions")],
    ...decisions.map((decision) => wordDecision(decision, "person")),
    wordCodeAround(found),
  );
}

/** A session with the turns that touched most. */
function wordSession({
  session_id,
  session_title,
  branch,
  last_at,
  score,
  files,
  turns,
}: RelatedSession): Paragraph {
  const more = files.length - maxFiles;
  const named = files
    .slice(0, maxFiles)
    .map(({ path, how }) => `${path} (${how})`)
    .join(", ");
  return [
    line(
      ...joinParts(
        [
          id(shortenSessionId(session_id)),
          ago(last_at),
          branch !== null && { text: branch },
          faint(score.toFixed(2)),
          strong(nameTitle(session_title)),
        ],
        "  ",
      ),
    ),
    ...(files.length === 0
      ? []
      : [indentedLine(3, 3, faint(`${named}${more > 0 ? ` and ${more} more` : ""}`))]),
    ...turns.map(
      ({ turn, prompt }): DocumentBlock => ({
        is: "cut",
        indent: 3,
        line: [`${nameTurn(turn)}: `, quoted(namePrompt(turn, prompt), 160)],
      }),
    ),
  ];
}

/** Files that call or use the code of the asked ones, or are used by it. */
const wordCodeAround = ({ code }: Pick<RelatedAnswer, "code">): Paragraph =>
  code.length === 0 ? [] : [heading("Code around them"), ...code.map(wordAround)];

const wordAround = ({ file, used_by, uses }: FileAround): DocumentBlock =>
  line(
    place(file),
    "  ",
    faint(
      [used_by.length > 0 && `used by ${used_by.join(", ")}`, uses.length > 0 && `uses ${uses.join(", ")}`]
        .filter(Boolean)
        .join("; "),
    ),
  );
