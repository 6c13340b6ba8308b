import type { Screen } from "../../terminal/output.ts";
import type { BrowseAnswers, BrowseQuestion } from "./answers.ts";
import type { ScrolledText, ScrollPosition } from "./scroll.ts";

/** What a page may be of; pages lie on each other, and Esc goes back. */
export type Page =
  | { kind: "sessions"; text: string; at: number; first: number }
  | { kind: "search"; text: string; at: number; first: number }
  /** `place`: what was asked for, when Enter was pressed. */
  | { kind: "why"; text: string; place: string; scroll: ScrollPosition }
  | SessionPage
  | { kind: "now"; at: number; first: number }
  | { kind: "commits"; at: number; first: number }
  | { kind: "commit"; hash: string; scroll: ScrollPosition }
  | { kind: "help"; scroll: ScrollPosition };

export interface SessionPage {
  kind: "session";
  id: string;
  /** Its number; null: the beginning. */
  turn: number | null;
  /** null: at the turn, or at the first that has what is sought. */
  scroll: ScrollPosition | null;
  /** Whole results and diffs. */
  full: boolean;
  /** What is typed to find; null: nothing is to be found. */
  text: string | null;
  /** What was to be found when Enter was pressed, and the block that was looked at then. */
  sought: { text: string; from: number } | null;
}

export const makeSessionPage = (id: string, turn: number | null): SessionPage => ({
  kind: "session",
  id,
  turn,
  scroll: null,
  full: false,
  text: null,
  sought: null,
});

/** From this width on, what is chosen is shown beside its list. */
export const splitColumns = 120;

/** Where pages are drawn, and with what. */
export interface BrowseSurroundings {
  screen: Screen & { columns: number };
  /** Lines between the head and the foot. */
  height: number;
  answers: BrowseAnswers;
  /** What a file's place names, from where the reader is. @throws PommelError for what is no place */
  locate(text: string): { file: string; first_line: number; last_line: number };
}

/** What a row, or a page, leads to. */
export interface BrowseTarget {
  /** Enter. */
  opens?: Page;
  /** y. */
  copies?: string;
  /** o: a file from the project's root. */
  edits?: { file: string; line: number };
}

/** A page as it is to be drawn. */
export interface BrowseView {
  /** Above the content: what is typed into, or what this is. */
  title: { label: string; text: string; hint: string } | string;
  /** Beside the title: "12 of 272". */
  status: string;
  content:
    | {
        kind: "list";
        count: number;
        /** Lines of a row. */
        rowHeight: number;
        row(index: number, width: number, isChosen: boolean): string[];
        /** What the columns of the rows are, in place of the rule above them. */
        header?(width: number): string;
        /** Of the chosen row, where the terminal is wide. */
        preview?(index: number, width: number): string[];
      }
    /** `stops`: the blocks that n and p go to, if not to each. */
    | { kind: "document"; document: ScrolledText; scroll: ScrollPosition; stops?: readonly number[] }
    | { kind: "message"; text: string };
  /** Of the row with this index, or of the page. */
  target(index: number): BrowseTarget;
  /** What is not known yet of what is shown. */
  asks: BrowseQuestion[];
}
