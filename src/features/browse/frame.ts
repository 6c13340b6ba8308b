import { cutPainted, cutToWidth, measureWidth, padToWidth } from "../../base/text/display-width.ts";
import { toPrintable, wrapText } from "../../terminal/text.ts";
import { buildCommitsView } from "./commits.ts";
import { buildCommitView, buildHelpView, buildWhyView } from "./documents.ts";
import { buildNowView } from "./now.ts";
import { buildSessionView } from "./reader.ts";
import { chooseFirstRow, cutVisibleLines } from "./scroll.ts";
import { buildSearchView } from "./search.ts";
import { buildSessionsView } from "./sessions.ts";
import { type BrowseSurroundings, type BrowseView, type Page, splitColumns } from "./view.ts";

/** What the reader looks at. Each tab has pages of its own, of which the last lies on top. */
export interface BrowseState {
  tab: BrowseTab;
  pages: Readonly<Record<BrowseTab, readonly Page[]>>;
  /** Keys are text. */
  isTyping: boolean;
  /** What the last key did: "Copied 8ecde0fc". */
  message: string;
}

export const tabs = ["sessions", "now", "commits", "search", "why"] as const;
export type BrowseTab = (typeof tabs)[number];
const tabNames: Readonly<Record<BrowseTab, string>> = {
  sessions: "Sessions",
  now: "Now",
  commits: "Commits",
  search: "Search",
  why: "Why",
};

/** What a page needs at least. */
export const smallest = { columns: 60, rows: 15 };
/** What is typed has so much of its line, however long the status is. */
const titleColumns = 24;
/** Lines around the content: tabs, title and rule above; rule and keys below; ink leaves one free. */
const around = 6;

export const computeContentHeight = (rows: number) => Math.max(rows - around, 1);

export function getCurrentPage({ tab, pages }: BrowseState): Page {
  return pages[tab].at(-1)!;
}

export function buildView(page: Page, surroundings: BrowseSurroundings): BrowseView {
  switch (page.kind) {
    case "sessions":
      return buildSessionsView(page, surroundings);
    case "now":
      return buildNowView(page, surroundings);
    case "commits":
      return buildCommitsView(page, surroundings);
    case "search":
      return buildSearchView(page, surroundings);
    case "why":
      return buildWhyView(page, surroundings);
    case "session":
      return buildSessionView(page, surroundings);
    case "commit":
      return buildCommitView(page, surroundings);
    case "help":
      return buildHelpView(page, surroundings);
  }
}

/** The state as lines, none wider than the screen. @param name of the project */
export function drawFrame(
  state: BrowseState,
  view: BrowseView,
  name: string,
  surroundings: BrowseSurroundings,
): string[] {
  const { screen, height } = surroundings;
  const { columns, colors } = screen;
  const rule = colors.dim("─".repeat(columns));
  const content = drawContent(getCurrentPage(state), view, surroundings).slice(0, height);
  const filled = [...content, ...Array<string>(height - content.length).fill("")];
  return [
    renderTabLine(state, name, surroundings),
    renderTitleLine(state, view, surroundings),
    renderHeader(view, columns, rule, colors),
    ...filled,
    rule,
    renderFooter(state, view, surroundings),
  ].map((line) => cutPainted(line, columns));
}

function renderTabLine(
  { tab }: BrowseState,
  name: string,
  { screen: { columns, colors } }: BrowseSurroundings,
): string {
  const names = tabs.map((one, i) => {
    const label = `${i + 1} ${tabNames[one]}`;
    return one === tab ? colors.prompt(`[${label}]`) : ` ${label} `;
  });
  const left = `${colors.bold("Pommel")} ${names.join(" ")}`;
  const room = columns - measureWidth(left) - 3;
  return room < 8 ? left : `${left}  ${colors.dim(cutToWidth(toPrintable(name), room))}`;
}

function renderTitleLine(
  { isTyping }: BrowseState,
  { title, status }: BrowseView,
  { screen: { columns, colors } }: BrowseSurroundings,
): string {
  const said = cutToWidth(status, columns - titleColumns - 2);
  const room = columns - measureWidth(said) - 2;
  let left: string;
  if (typeof title === "string") left = colors.bold(cutToWidth(title, room));
  else {
    const label = `${title.label}: `;
    const text = toPrintable(title.text);
    // The end of what is typed stays in sight.
    const shown = cutToTail(text, room - label.length - 1);
    const hint = colors.dim(cutToWidth(isTyping ? title.hint : `/ ${title.hint}`, room - label.length - 1));
    left = `${isTyping ? colors.prompt(label) : colors.dim(label)}${shown}${isTyping ? "▏" : ""}${text === "" ? hint : ""}`;
  }
  return `${padToWidth(left, room)}  ${colors.dim(said)}`;
}

/** The end of a text, at most so wide. */
function cutToTail(text: string, width: number): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  while (measureWidth(characters.join("")) > width) characters.shift();
  return characters.join("");
}

/** Of a list where what is chosen stands beside it; null: it has the whole screen. */
const measureSplitList = (content: BrowseView["content"], columns: number): number | null =>
  content.kind === "list" && content.preview !== undefined && columns >= splitColumns
    ? Math.floor(columns * 0.45)
    : null;

const renderHeader = (
  { content }: BrowseView,
  columns: number,
  rule: string,
  colors: BrowseSurroundings["screen"]["colors"],
): string =>
  content.kind === "list" && content.header !== undefined
    ? colors.dim(content.header(measureSplitList(content, columns) ?? columns))
    : rule;

function drawContent(page: Page, { content }: BrowseView, { screen, height }: BrowseSurroundings): string[] {
  const { columns, colors } = screen;
  if (content.kind === "message") {
    return ["", ...content.text.split("\n").flatMap((line) => wrapText(line, columns - 4))].map(
      (line) => `  ${line}`,
    );
  }
  if (content.kind === "document") return cutVisibleLines(content.document, content.scroll, height).lines;
  const { count, rowHeight, row, preview } = content;
  const { at, first } = listPlace(page, content, height);
  const split = measureSplitList(content, columns);
  const width = split ?? columns;
  const rows = Math.min(Math.ceil(height / rowHeight), count - first);
  const list = Array.from({ length: rows }, (_, i) => row(first + i, width, first + i === at)).flat();
  if (split === null) return list;
  const beside = preview!(at, columns - width - 3);
  return Array.from(
    { length: height },
    (_, i) => `${padToWidth(cutPainted(list[i] ?? "", width), width)} ${colors.dim("│")} ${beside[i] ?? ""}`,
  );
}

/** Which row of a list is chosen, and which is the first in sight: both within what there is. */
export function listPlace(
  page: Page,
  { count, rowHeight }: BrowseView["content"] & { kind: "list" },
  height: number,
): { at: number; first: number } {
  const { at, first } = "at" in page ? page : { at: 0, first: 0 };
  const chosen = Math.min(Math.max(at, 0), Math.max(count - 1, 0));
  return {
    at: chosen,
    first: chooseFirstRow(chosen, first, count, Math.max(Math.floor(height / rowHeight), 1)),
  };
}

function renderFooter(state: BrowseState, view: BrowseView, { screen }: BrowseSurroundings): string {
  const { isTyping, message, tab, pages } = state;
  const { columns, colors } = screen;
  if (message !== "") return colors.warn(cutToWidth(message, columns));
  const page = getCurrentPage(state);
  const isFinding = page.kind === "session" && page.sought !== null;
  const canGoBack = pages[tab].length > 1;
  const { kind } = view.content;
  const hints: [key: string, does: string, isShown?: boolean][] = isTyping
    ? [
        ["Enter", kind === "list" ? "open" : "go"],
        ["↑↓", "move", kind === "list"],
        ["Esc", "stop typing"],
      ]
    : [
        ["↑↓", "move", kind === "list"],
        ["Enter", "open", kind === "list"],
        ["↑↓ PgDn", "scroll", kind === "document"],
        ["n p", "next found, previous", isFinding],
        ["Esc", isFinding ? "end finding" : "back", canGoBack || isFinding],
        ["/", "find", page.kind === "session"],
        ["/", "type", page.kind !== "session" && "text" in page],
        ["Tab", "next view"],
        ["?", "keys"],
        ["q", "leave", !canGoBack],
      ];
  let line = "";
  for (const [key, does, isShown = true] of hints) {
    if (!isShown) continue;
    const hint = `${colors.code(key)} ${colors.dim(does)}`;
    const longer = line === "" ? hint : `${line}   ${hint}`;
    if (measureWidth(longer) > columns) break;
    line = longer;
  }
  return line;
}
