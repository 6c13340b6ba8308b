import { LanguageDescription, syntaxHighlighting } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { shortenHash } from "../../../base/text/short-hash.ts";
import { authorNames } from "../../../page/components/badge.tsx";
import { formatRelativeTime } from "../../../page/components/time.tsx";
import syntax from "../../../page/styles/syntax.css?inline";
import { isOnLines } from "../../../protocol/reading/note-lines.ts";
import type { Note } from "../../notes/operation.ts";
import type { BlameRange } from "../operation.ts";
import css from "./code.css?inline";
import { type Colouring, chooseLineColour, findTimeRange } from "./colours.ts";

const styles = new CSSStyleSheet();
styles.replaceSync(css + syntax);

interface CodeProps {
  path: string;
  lines: readonly string[];
  ranges: readonly BlameRange[];
  by: Colouring;
  notes: readonly Note[];
  /** Where the reader is. */
  line: number | null;
  last: number;
  onLines: (first: number, last: number) => void;
}

/**
 * A file to read, with who wrote each line in its margin. CodeMirror draws only what is in sight. It stands in a shadow
 * root: in a document it would add its styles as an element, which the Content-Security-Policy refuses.
 */
export function Code({ path, lines, ranges, by, notes, line, last, onLines }: CodeProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const margin = useRef(new Compartment());
  const latest = useRef(onLines);
  latest.current = onLines;
  // By its content: an answer that is asked for again is the same file, which stays where the reader is.
  const text = useMemo(() => lines.join("\n"), [lines]);

  // Before anything is painted: what stands below a narrow page's code would move.
  useLayoutEffect(() => {
    const language = new Compartment();
    const host = place.current!;
    let selecting: ReturnType<typeof setTimeout> | undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          margin.current.of(createAuthorGutter(ranges, by, notes)),
          lineNumbers({ domEventHandlers: selectLine }),
          EditorState.readOnly.of(true),
          drawSelection(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          keymap.of(searchKeymap),
          syntaxHighlighting(classHighlighter),
          language.of([]),
          EditorView.contentAttributes.of({ "aria-label": path, "aria-readonly": "true" }),
          EditorView.updateListener.of((update) => {
            if (!update.selectionSet || !update.transactions.some((one) => one.isUserEvent("select"))) return;
            const { first, last } = readSelectedLines(update.state);
            clearTimeout(selecting);
            // While the pointer is being drawn over lines, nothing is asked for.
            selecting = setTimeout(() => latest.current(first, last), first === last ? 0 : selectingMs);
          }),
        ],
      }),
    });
    root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((one) => one !== styles), styles];
    // The content takes the keys; its frame is what scrolls.
    editor.scrollDOM.tabIndex = 0;
    view.current = editor;
    let isGone = false;
    void LanguageDescription.matchFilename(languages, path)
      ?.load()
      .then((support) => {
        if (!isGone) editor.dispatch({ effects: language.reconfigure(support) });
      })
      // Without colours it can be read all the same.
      .catch(() => {});
    return () => {
      isGone = true;
      clearTimeout(selecting);
      editor.destroy();
      view.current = null;
    };
  }, [path, text]);

  useEffect(() => {
    view.current?.dispatch({ effects: margin.current.reconfigure(createAuthorGutter(ranges, by, notes)) });
  }, [ranges, by, notes]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || line === null || line > editor.state.doc.lines) return;
    const { doc } = editor.state;
    const { from } = doc.line(line);
    const selected = readSelectedLines(editor.state);
    if (selected.first === line && selected.last === last && line !== 1) return;
    editor.dispatch({
      selection:
        last > line ? { anchor: from, head: doc.line(Math.min(last, doc.lines)).to } : { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
  }, [line, last, text]);

  return <div class="code" ref={place} />;
}

/** Milliseconds. */
const selectingMs = 250;

function readSelectedLines({ doc, selection: { main } }: EditorState) {
  const { number: first } = doc.lineAt(main.from);
  const end = doc.lineAt(main.to);
  // A selection that ends before a line's first character has none of it.
  return { first, last: end.from === main.to && end.number > first ? end.number - 1 : end.number };
}

class AuthorMarker extends GutterMarker {
  constructor(
    private readonly author: BlameRange,
    private readonly colour: string | null,
    private readonly isFirst: boolean,
    /** On the line; "" for none. */
    private readonly note: string,
  ) {
    super();
  }

  override eq(other: GutterMarker): boolean {
    if (!(other instanceof AuthorMarker)) return false;
    const isAlike = other.author === this.author && other.colour === this.colour;
    return isAlike && other.isFirst === this.isFirst && other.note === this.note;
  }

  override toDOM(): Node {
    const { author, agent, person, authored_at, subject, commit } = this.author;
    const mark = document.createElement("div");
    mark.className = `author ${author}`;
    if (this.colour !== null) mark.style.background = this.colour;
    const named: Partial<Record<typeof author, string>> = {
      agent: agent ?? "an agent",
      human: person ?? "a person",
    };
    // Who committed a line need not have written it.
    const who = named[author] ?? (person && `committed by ${person}`);
    const kind = author in named ? null : authorNames[author];
    const when = authored_at === null ? "not committed" : formatRelativeTime(authored_at);
    mark.title = [kind, who, when, subject, commit && shortenHash(commit)].filter(Boolean).join(" · ");
    if (this.isFirst) mark.classList.add("first");
    if (this.note !== "") {
      mark.classList.add("noted");
      mark.title = `Note: ${this.note}`;
    }
    return mark;
  }
}

function createAuthorGutter(ranges: readonly BlameRange[], by: Colouring, notes: readonly Note[]) {
  const { oldest, newest } = findTimeRange(ranges);
  return gutter({
    class: "authors",
    lineMarker(editor, block) {
      const number = editor.state.doc.lineAt(block.from).number;
      const range = ranges.find(({ last_line }) => last_line >= number);
      if (range === undefined || range.first_line > number) return null;
      return new AuthorMarker(
        range,
        chooseLineColour(range, by, oldest, newest),
        number === range.first_line,
        notes.find(({ lines }) => lines !== null && isOnLines(lines, number, number))?.note ?? "",
      );
    },
    domEventHandlers: selectLine,
  });
}

/** A click beside a line is one on it. */
const selectLine = {
  mousedown(editor: EditorView, block: { from: number }) {
    editor.dispatch({ selection: { anchor: block.from }, userEvent: "select.pointer" });
    return true;
  },
};
