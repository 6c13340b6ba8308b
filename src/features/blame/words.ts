import {
  type Column,
  type Document,
  heading,
  id,
  line,
  makeDocument,
  strong,
  table,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { formatPercent } from "../../protocol/reading/numbers.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { wordAuthorKinds } from "./author-words.ts";
import type { BlameAnswer, BlameRange } from "./operation.ts";

/** Rows of a table that are shown. */
const rowsShown = 10;
const barColumns = 60;

const shareColumns: Column[] = [
  { title: "", isNumber: true },
  { title: "lines", isNumber: true },
];

/** Who wrote a file: by kind of author, session, model and person. */
export function wordBlameSummary({ file, summary, ranges }: BlameAnswer): Document {
  const { lines, by_session, by_model, by_person } = summary;
  const toCells = (own: number) => [formatPercent(own, lines), own.toLocaleString("en")];
  const toTable = (name: string, columns: readonly Column[], rows: Parameters<typeof table>[1]) =>
    rows.length > 0 && [heading(name), table([...shareColumns, ...columns], rows, rowsShown)];
  return makeDocument(
    [
      line(strong(file), `  ${formatCount(lines, "line")}${formatUncommitted(ranges)}`),
      line({ draw: "authors", lines: summary, columns: barColumns }),
      wordAuthorKinds(summary),
    ],
    toTable(
      "Sessions",
      [{ title: "session" }, { title: "title", wraps: true }, { title: "turns", wraps: true, optional: 1 }],
      by_session.map(({ session_id, session_title, turns, lines: own }) => [
        ...toCells(own),
        id(shortenSessionId(session_id)),
        { text: nameTitle(session_title) },
        turns.join(", "),
      ]),
    ),
    toTable(
      "Models",
      [{ title: "name", wraps: true }],
      by_model.map(({ model, lines: own }) => [...toCells(own), { text: model }]),
    ),
    toTable(
      "People",
      [{ title: "name", wraps: true }, { title: "" }],
      by_person.map(({ person, human, unknown, before_agents: before }) => [
        ...toCells(human + unknown + before),
        { text: person ?? "(not committed yet)" },
        [
          unknown > 0 ? `${unknown.toLocaleString("en")} unknown` : "",
          before > 0 ? `${before.toLocaleString("en")} before agents` : "",
        ]
          .filter((each) => each !== "")
          .join(", "),
      ]),
    ),
  );
}

function formatUncommitted(ranges: readonly BlameRange[]): string {
  const count = ranges
    .filter(({ commit }) => commit === null)
    .reduce((sum, { first_line, last_line }) => sum + last_line - first_line + 1, 0);
  return count === 0 ? "" : `, ${count.toLocaleString("en")} not committed yet`;
}
