import { command, table, type Document as WordedDocument } from "../../answers/document.ts";
import { exitCode, explainError, PommelError } from "../../base/errors.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { toOneLine } from "../../terminal/text.ts";
import { wordCheckpoint } from "../checkpoints/words.ts";
import { wordWhyWithSteps } from "../why/words.ts";
import type { ScrolledText } from "./scroll.ts";
import { type BrowseSurroundings, type BrowseView, makeSessionPage, type Page } from "./view.ts";

/** Pages that are one text: why lines are there, a commit, the keys. */

/** Why a line is there. */
export function buildWhyView(
  page: Page & { kind: "why" },
  { answers, screen, locate }: BrowseSurroundings,
): BrowseView {
  const { text, place, scroll } = page;
  const view = {
    title: { label: "Line", text, hint: "a file with a line: src/db.ts:42" },
    status: "",
    target: () => ({}),
    asks: [],
  };
  const message = (what: string): BrowseView => ({ ...view, content: { kind: "message", text: what } });
  if (place === "")
    return message("Type a file with a line and press Enter, or choose a line from a search.");
  let request: ReturnType<BrowseSurroundings["locate"]>;
  try {
    request = locate(place);
  } catch (error) {
    if (error instanceof PommelError && error.exitCode !== exitCode.failed)
      return message(explainError(error));
    throw error;
  }
  const asks: BrowseView["asks"] = [{ route: "why", request }];
  const answer = answers.to("why", request);
  if (answer?.value === undefined) return { ...message(answer?.error ?? "Loading…"), asks };
  const { value } = answer;
  const origin = value.origins[0];
  const session = origin?.turn?.session_id ?? origin?.written_by.session_id ?? null;
  const turn = origin?.turn?.number ?? origin?.written_by.turn ?? null;
  return {
    ...view,
    asks,
    status: session === null ? "" : "Enter: the session",
    content: {
      kind: "document",
      document: toDocument(
        renderDocument(wordWhyWithSteps(value), { full: true, screen, pageOf: () => null }),
      ),
      scroll,
    },
    target: () => ({
      copies: `${value.file}:${value.first_line}`,
      edits: { file: value.file, line: value.first_line },
      ...(session !== null && {
        opens: makeSessionPage(session, turn),
      }),
    }),
  };
}

/** A commit, with the sessions that led to it. */
export function buildCommitView(
  { hash, scroll }: Page & { kind: "commit" },
  { answers, screen }: BrowseSurroundings,
): BrowseView {
  const request = { id: hash };
  const answer = answers.to("checkpoint", request);
  const [first] = answer?.value?.sessions ?? [];
  return {
    title: `Commit ${toOneLine(shortenHash(hash))}`,
    status: first ? "Enter: the session" : "",
    content:
      answer?.value === undefined
        ? { kind: "message", text: answer?.error ?? "Loading…" }
        : {
            kind: "document",
            document: toDocument(renderDocument(wordCheckpoint(answer.value), { screen })),
            scroll,
          },
    target: () => ({
      copies: hash,
      ...(first && {
        opens: makeSessionPage(first.session_id, first.turns[0]?.turn ?? null),
      }),
    }),
    asks: [{ route: "checkpoint", request }],
  };
}

const keys: [key: string, does: string][] = [
  ["1 to 5, Tab", "sessions, now, commits, search, why; again: back to its beginning"],
  ["/", "type: a filter of sessions, a search, a line; in a session: what to find in it"],
  ["↑ ↓, j k", "up and down"],
  ["PgUp PgDn", "a screen up and down; so do b and Space"],
  ["g G", "to the beginning and the end; so do Home and End"],
  ["n p", "in a session: the next turn, the one before; while finding: of those that have it"],
  ["f", "in a session: whole results and diffs, or a line for each"],
  ["Enter", "open: a session, why a line is there, a commit"],
  ["Esc, q", "back; from the first page: leave"],
  ["o", "open the file in $VISUAL or $EDITOR"],
  [
    "y",
    "copy the id, the place, or the command that goes on with what is unfinished, where the terminal lets programs do so",
  ],
  ["r", "ask again for what is shown"],
  ["Ctrl-C", "leave"],
];

const wordKeys = (): WordedDocument => [
  [
    table(
      [{ title: "" }, { title: "", wraps: true }],
      keys.map(([key, does]) => [["  ", command(key)], does]),
    ),
  ],
];

export const buildHelpView = (
  { scroll }: Page & { kind: "help" },
  { screen }: BrowseSurroundings,
): BrowseView => ({
  title: "Keys",
  status: "",
  content: { kind: "document", document: toDocument(renderDocument(wordKeys(), { screen })), scroll },
  target: () => ({}),
  asks: [],
});

function toDocument(text: string): ScrolledText {
  const lines = text.split("\n");
  return { blocks: 1, block: () => lines };
}
