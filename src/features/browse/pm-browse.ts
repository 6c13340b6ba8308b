import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { locate, parsePlace } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { onOtherScreen } from "../../terminal/live.ts";
import { BrowsedPage } from "./browsed-page.ts";
import type { BrowseState } from "./frame.ts";
import { firstPages } from "./press.ts";
import { top } from "./scroll.ts";
import { makeSessionPage, type Page } from "./view.ts";

/** `pm browse`: sessions, what is now, commits, search and why, in the terminal. */
export async function browseCommand(
  { cwd, output }: CommandContext,
  view: string | undefined,
  what: string[],
): Promise<void> {
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== "dumb";
  if (!hasTerminal || output.json) {
    throw new PommelError("usage", "`pm browse` needs a terminal.", "`pm session list` lists sessions.");
  }
  const project = await findProject(cwd);
  const state = buildFirstState(view, what);
  const page = new BrowsedPage(state, {
    project,
    name: basename(project.root),
    root: project.root,
    colors: output.colors,
    locate(text) {
      const { file, lines } = parsePlace(text, (name) => existsSync(resolve(cwd, name)));
      const first = lines?.first ?? 1;
      // Results of searches are from the root, what is typed from here.
      const isHere = existsSync(resolve(cwd, file));
      return {
        file: locate(project, isHere ? cwd : project.root, file),
        first_line: first,
        last_line: lines?.last ?? first,
      };
    },
  });
  await onOtherScreen((signal) => page.show(signal));
}

/** What `pm browse VIEW WHAT` begins with. @throws PommelError `usage` */
export function buildFirstState(view: string | undefined, what: readonly string[]): BrowseState {
  const text = what.join(" ").trim();
  const state: BrowseState = { tab: "sessions", pages: firstPages, isTyping: false, message: "" };
  const why = (place: string): BrowseState => {
    const page: Page = { kind: "why", text: place, place, scroll: top };
    return { ...state, tab: "why", pages: { ...firstPages, why: [page] }, isTyping: place === "" };
  };
  switch (view) {
    case undefined:
    case "sessions": {
      const page: Page = { kind: "sessions", text, at: 0, first: 0 };
      return { ...state, pages: { ...firstPages, sessions: [page] } };
    }
    case "search": {
      const page: Page = { kind: "search", text, at: 0, first: 0 };
      return { ...state, tab: "search", pages: { ...firstPages, search: [page] }, isTyping: text === "" };
    }
    case "now":
    case "commits":
      return { ...state, tab: view };
    case "session": {
      const [, id = text, turn] = /^(.+):(\d+)$/.exec(text) ?? [];
      if (id === "") {
        throw new PommelError(
          "usage",
          "`pm browse session` needs a session's id.",
          "`pm session list` lists them.",
        );
      }
      const page = makeSessionPage(id, turn === undefined ? null : Number(turn));
      return { ...state, pages: { ...firstPages, sessions: [...firstPages.sessions, page] } };
    }
    case "why":
      return why(text);
    default:
      if (/[:./#]/.test(view)) return why([view, text].join(" ").trim());
      throw new PommelError(
        "usage",
        `There is no view "${view}".`,
        "Choose from: sessions, now, commits, search, session, why, or a place such as src/db.ts:42.",
      );
  }
}
