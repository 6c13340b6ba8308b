import { signal } from "@preact/signals";
import { views } from "../../../features/views.ts";
import { openEditorLink } from "../../../page/api/editor.ts";
import { buildEditorLink } from "../../../page/api/project.ts";
import { isKeyTaken } from "../../../page/keys.ts";
import { goTo, linkTo } from "../../../page/router.ts";

/** Whether the list of everything that can be gone to is shown. */
export const isPaletteOpen = signal(false);

/** What is typed into it, also while its code is on its way. */
export const paletteWords = signal("");

/** Whether the list of keys is shown. */
export const isHelpOpen = signal(false);

export const searchBoxId = "search-box";

/** The keys that work everywhere, for the help. A view's own are those of its lists. */
export const keys: readonly (readonly [key: string, does: string])[] = [
  ["/", "search"],
  ["Ctrl K", "go to anything by its name"],
  ["↓ ↑ or j k", "next and previous result"],
  ["Enter", "open it"],
  ["o", "open it in the editor"],
  ["e", "in Now: hide an entry until its session goes on"],
  ["a", "in Rules: accept what is proposed"],
  ["\\", "in Review: the diff only"],
  ["f", "find in a session"],
  ["n p", "next and previous turn of a session"],
  ["e x", "next turn with an edit, with a failure"],
  ["1 2 3", "story, answers, everything"],
  ["Esc", "leave the search box, close a dialog"],
  ...views.flatMap(({ title, nav }) => (nav ? [[`g ${nav.key}`, `go to ${title}`] as const] : [])),
  ["?", "this help"],
];

/** How long `g` waits for the next key. Milliseconds. */
const sequenceMs = 1000;

let goKeyAt = Number.NEGATIVE_INFINITY;

/**
 * The keys of the whole page. A row of any list takes part when it is a link with `data-row`; `data-place` ("path:line")
 * lets `o` open it in the editor.
 */
export function listenForKeys(): void {
  document.addEventListener("click", ({ target }) => {
    const row = (target as Element).closest("[data-row]")?.getAttribute("href");
    if (row) history.replaceState({ ...history.state, row }, "");
  });
  document.addEventListener("keydown", (event) => {
    const isInDialog = document.querySelector("dialog[open]") !== null;
    if ((event.ctrlKey || event.metaKey) && event.key === "k" && !isInDialog) {
      isPaletteOpen.value = true;
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isPaletteOpen.value && !isInDialog) {
      if (event.key.length === 1) paletteWords.value += event.key;
      event.preventDefault();
      return;
    }
    // The innermost, inside a shadow root as well.
    if (onKey(event.key, event.composedPath()[0] as HTMLElement)) event.preventDefault();
  });
}

/** @returns whether the key did something */
function onKey(key: string, target: HTMLElement): boolean {
  const box = document.getElementById(searchBoxId) as HTMLInputElement | null;
  if (target === box && document.querySelector("dialog[open]") === null) return onKeyInBox(key, box);
  if (isKeyTaken(target)) return false;
  const isGoing = performance.now() - goKeyAt < sequenceMs;
  goKeyAt = key === "g" && !isGoing ? performance.now() : Number.NEGATIVE_INFINITY;
  if (isGoing) {
    const view = views.find(({ nav }) => nav?.key === key);
    if (view) goTo(linkTo(view.path));
    return view !== undefined;
  }
  switch (key) {
    case "/":
      box?.focus();
      box?.select();
      return true;
    case "f": {
      const find = document.querySelector<HTMLInputElement>("main [data-find]");
      find?.focus();
      find?.select();
      return find !== null;
    }
    case "?":
      isHelpOpen.value = true;
      return true;
    case "ArrowDown":
    case "j":
      return focusRow(target, 1);
    case "ArrowUp":
    case "k":
      // Above the first is the search box, where it stands.
      if (focusRow(target, -1)) return true;
      if (target.dataset.row !== undefined) box?.focus();
      return target.dataset.row !== undefined;
    case "o":
      return openInEditor(target);
    default:
      return false;
  }
}

function onKeyInBox(key: string, box: HTMLInputElement): boolean {
  const [first] = listRows();
  switch (key) {
    case "Escape":
      box.blur();
      return true;
    case "ArrowDown":
      first?.focus();
      return first !== undefined;
    case "Enter":
      first?.click();
      return first !== undefined;
    default:
      return false;
  }
}

const listRows = () => [...document.querySelectorAll<HTMLElement>("main [data-row]")];

function focusRow(from: HTMLElement, step: 1 | -1): boolean {
  const all = listRows();
  const focused = all.indexOf(from.closest<HTMLElement>("[data-row]") ?? from);
  // Who comes back to a list goes on from the row that was opened.
  const opened = (history.state as { row?: string } | null)?.row;
  const at = focused === -1 ? all.findIndex((row) => row.getAttribute("href") === opened) : focused;
  const next = at === -1 ? (step === 1 ? all[0] : undefined) : all[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

function openInEditor(target: HTMLElement): boolean {
  const place = target.closest<HTMLElement>("[data-place]")?.dataset.place;
  const [, path = "", line] = /^(.*?)(?::(\d+))?$/s.exec(place ?? "") ?? [];
  const link = path === "" ? null : buildEditorLink(path, Number(line ?? 1));
  if (link !== null) openEditorLink(link);
  return link !== null;
}
