import { type BrowseState, type BrowseTab, getCurrentPage, listPlace, tabs } from "./frame.ts";
import type { Key } from "./ink.ts";
import { bottom, clampPlace, cutVisibleLines, movePlace, type ScrollPosition, top } from "./scroll.ts";
import type { BrowseSurroundings, BrowseTarget, BrowseView, Page } from "./view.ts";

/** What a key has done beside changing the state. */
export type Effect =
  | { kind: "leave" }
  | { kind: "ask again" }
  | { kind: "copy"; text: string }
  | { kind: "edit"; file: string; line: number };

interface Pressed {
  state: BrowseState;
  effect?: Effect;
}

/** The pages that the tabs begin with. */
export const firstPages: Readonly<Record<BrowseTab, readonly Page[]>> = {
  sessions: [{ kind: "sessions", text: "", at: 0, first: 0 }],
  now: [{ kind: "now", at: 0, first: 0 }],
  commits: [{ kind: "commits", at: 0, first: 0 }],
  search: [{ kind: "search", text: "", at: 0, first: 0 }],
  why: [{ kind: "why", text: "", place: "", scroll: top }],
};

/** The state after a key. @param view of the current page */
export function handleKey(
  before: BrowseState,
  key: Key,
  view: BrowseView,
  around: BrowseSurroundings,
): Pressed {
  const state = { ...before, message: "" };
  if ("name" in key && key.name === "ctrl c") return { state, effect: { kind: "leave" } };
  if (state.isTyping) return handleTypedKey(state, key, view, around);
  return handleCommandKey(state, "typed" in key ? key.typed : key.name, view, around);
}

function handleCommandKey(
  state: BrowseState,
  key: string,
  view: BrowseView,
  around: BrowseSurroundings,
): Pressed {
  const page = getCurrentPage(state);
  switch (key) {
    case "1":
    case "2":
    case "3":
    case "4":
    case "5":
      return { state: toTab(state, tabs[Number(key) - 1]!) };
    case "tab":
      return { state: toTab(state, tabs[(tabs.indexOf(state.tab) + 1) % tabs.length]!) };
    case "/":
      if (typeof view.title !== "string") return { state: { ...state, isTyping: true } };
      if (page.kind === "session")
        return {
          state: { ...replacePage(state, { ...page, text: page.sought?.text ?? "" }), isTyping: true },
        };
      return { state: { ...toTab(state, "search"), isTyping: true } };
    case "?":
      return page.kind === "help"
        ? { state: goBack(state) }
        : { state: open(state, { kind: "help", scroll: top }) };
    case "q":
    case "escape":
    case "left":
      if (key === "escape" && page.kind === "session" && page.text !== null)
        return { state: replacePage(state, { ...page, text: null, sought: null, scroll: placeIn(view) }) };
      if (state.pages[state.tab].length > 1) return { state: goBack(state) };
      return key === "q" ? { state, effect: { kind: "leave" } } : { state };
    case "r":
      return { state, effect: { kind: "ask again" } };
    case "f":
      return {
        state:
          page.kind === "session"
            ? replacePage(state, { ...page, full: !page.full, scroll: placeIn(view) ?? page.scroll })
            : state,
      };
    case "enter":
    case "right":
    case "y":
    case "o":
      return actOnTarget(state, key, findTarget(page, view, around));
    default:
      return { state: replacePage(state, move(page, key, view, around)) };
  }
}

function findTarget(page: Page, view: BrowseView, { height }: BrowseSurroundings): BrowseTarget {
  return view.target(view.content.kind === "list" ? listPlace(page, view.content, height).at : 0);
}

function actOnTarget(state: BrowseState, key: string, { opens, copies, edits }: BrowseTarget): Pressed {
  const say = (message: string) => ({ state: { ...state, message } });
  if (key === "y")
    return copies === undefined
      ? say("Nothing here has an id.")
      : { ...say(`Copied ${copies}`), effect: { kind: "copy", text: copies } };
  if (key === "o")
    return edits === undefined ? say("No file to open here.") : { state, effect: { kind: "edit", ...edits } };
  return { state: opens === undefined ? state : open(state, opens) };
}

function handleTypedKey(state: BrowseState, key: Key, view: BrowseView, around: BrowseSurroundings): Pressed {
  const page = getCurrentPage(state);
  if (!canType(page)) return { state: { ...state, isTyping: false } };
  if ("typed" in key)
    return { state: replacePage(state, withText(page, page.text + key.typed.replace(/[\r\n]+/g, " "))) };
  switch (key.name) {
    case "backspace":
      return { state: replacePage(state, withText(page, withoutLast(page.text))) };
    case "ctrl w":
      return { state: replacePage(state, withText(page, page.text.replace(/\S+\s*$/, ""))) };
    case "ctrl u":
      return { state: replacePage(state, withText(page, "")) };
    case "escape":
      return {
        state: {
          ...(page.kind === "session"
            ? replacePage(state, { ...page, text: page.sought?.text ?? null })
            : state),
          isTyping: false,
        },
      };
    case "tab":
      return handleCommandKey({ ...state, isTyping: false }, "tab", view, around);
    case "enter": {
      const after = { ...state, isTyping: false };
      if (page.kind === "why")
        return { state: replacePage(after, { ...page, place: page.text.trim(), scroll: top }) };
      if (page.kind === "session") {
        const text = page.text.trim();
        const place = placeIn(view);
        const none = { text: null, sought: null, scroll: place };
        const found = { text, sought: { text, from: place?.block ?? 0 }, scroll: null };
        return { state: replacePage(after, { ...page, ...(text === "" ? none : found) }) };
      }
      // What is shown may be what an earlier text led to.
      return view.asks.every((question) => around.answers.has(question))
        ? actOnTarget(after, "enter", findTarget(page, view, around))
        : { state: after };
    }
    default:
      return { state: replacePage(state, move(page, key.name, view, around)) };
  }
}

type Typed = Extract<Page, { text: string | null }> & { text: string };

const canType = (page: Page): page is Typed => "text" in page && page.text !== null;

function withText(page: Typed, text: string): Page {
  return "at" in page ? { ...page, text, at: 0, first: 0 } : { ...page, text };
}

function withoutLast(text: string): string {
  const last = [...new Intl.Segmenter().segment(text)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index);
}

function toTab(state: BrowseState, tab: BrowseTab): BrowseState {
  // Again: to where it begins.
  const pages = tab === state.tab ? { ...state.pages, [tab]: state.pages[tab].slice(0, 1) } : state.pages;
  const next = { ...state, tab, pages };
  const page = getCurrentPage(next);
  // There is nothing else to do there.
  return { ...next, isTyping: page.kind !== "sessions" && "text" in page && page.text === "" };
}

const withPages = (state: BrowseState, pages: readonly Page[]): BrowseState => ({
  ...state,
  pages: { ...state.pages, [state.tab]: pages },
});
const open = (state: BrowseState, page: Page) => withPages(state, [...state.pages[state.tab], page]);
const goBack = (state: BrowseState) => withPages(state, state.pages[state.tab].slice(0, -1));
const replacePage = (state: BrowseState, page: Page) =>
  withPages(state, [...state.pages[state.tab].slice(0, -1), page]);

const makeScrollSteps = (height: number): Readonly<Record<string, number>> => ({
  up: -1,
  k: -1,
  "ctrl p": -1,
  down: 1,
  j: 1,
  "ctrl n": 1,
  "page up": -height,
  b: -height,
  "ctrl b": -height,
  "page down": height,
  " ": height,
  "ctrl f": height,
  "ctrl u": -Math.ceil(height / 2),
  "ctrl d": Math.ceil(height / 2),
});

function move(page: Page, key: string, view: BrowseView, { height }: BrowseSurroundings): Page {
  const { content } = view;
  if (content.kind === "list" && "at" in page) {
    const { at, first } = listPlace(page, content, height);
    const screen = Math.max(Math.floor(height / content.rowHeight), 1);
    const step = makeScrollSteps(screen)[key];
    const next = /^(?:g|home)$/.test(key)
      ? 0
      : /^(?:G|end)$/.test(key)
        ? content.count - 1
        : at + (step ?? 0);
    const there = { ...page, at: Math.min(Math.max(next, 0), content.count - 1), first };
    return { ...there, first: listPlace(there, content, height).first };
  }
  if (content.kind !== "document" || !("scroll" in page)) return page;
  const { document, scroll } = content;
  if (/^(?:g|home)$/.test(key)) return { ...page, scroll: top };
  if (/^(?:G|end)$/.test(key)) return { ...page, scroll: bottom };
  if (/^[np]$/.test(key)) return { ...page, scroll: findPart(content, key === "n" ? 1 : -1, height) };
  const step = makeScrollSteps(Math.max(height - 1, 1))[key];
  return step === undefined ? page : { ...page, scroll: movePlace(document, scroll, step, height) };
}

/** Where the next part begins, or this one, or the one before. */
function findPart(
  { document, scroll, stops }: BrowseView["content"] & { kind: "document" },
  step: 1 | -1,
  height: number,
): ScrollPosition {
  const { block, line } = clampPlace(document, scroll, height);
  if (stops) {
    const stop = step === 1 ? stops.find((at) => at > block) : stops.findLast((at) => at < block);
    return stop === undefined ? scroll : { block: stop, line: 0 };
  }
  const to = step === 1 || line === 0 ? block + step : block;
  return { block: Math.min(Math.max(to, 0), document.blocks - 1), line: 0 };
}

/** Where a text is looked at, when its lines change. */
function placeIn({ content }: BrowseView): ScrollPosition | null {
  if (content.kind !== "document") return null;
  return { block: cutVisibleLines(content.document, content.scroll, 1).first, line: 0 };
}
