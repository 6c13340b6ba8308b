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
import { useEffect, useMemo, useRef } from "preact/hooks";
import { authorNames } from "../../../page/components/badge.tsx";
import { formatRelativeTime } from "../../../page/components/time.tsx";
import syntax from "../../../page/styles/syntax.css?inline";
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
  /** Where the reader is. */
  line: number | null;
  onLine: (line: number) => void;
}

/**
 * A file to read, with who wrote each line in its margin. CodeMirror draws only what is in sight. It stands in a shadow
 * root: in a document it would add its styles as an element, which the Content-Security-Policy refuses.
 */
export function Code({ path, lines, ranges, by, line, onLine }: CodeProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const margin = useRef(new Compartment());
  const latest = useRef(onLine);
  latest.current = onLine;
  // By its content: an answer that is asked for again is the same file, which stays where the reader is.
  const text = useMemo(() => lines.join("\n"), [lines]);

  useEffect(() => {
    const language = new Compartment();
    const host = place.current!;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          margin.current.of(createAuthorGutter(ranges, by)),
          lineNumbers(),
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
            latest.current(update.state.doc.lineAt(update.state.selection.main.head).number);
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
      editor.destroy();
      view.current = null;
    };
  }, [path, text]);

  useEffect(() => {
    view.current?.dispatch({ effects: margin.current.reconfigure(createAuthorGutter(ranges, by)) });
  }, [ranges, by]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || line === null || line > editor.state.doc.lines) return;
    const { from } = editor.state.doc.line(line);
    if (editor.state.doc.lineAt(editor.state.selection.main.head).number === line && line !== 1) return;
    editor.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
  }, [line, text]);

  return <div class="code" ref={place} />;
}

class AuthorMarker extends GutterMarker {
  constructor(
    private readonly author: BlameRange,
    private readonly colour: string | null,
    private readonly isFirst: boolean,
  ) {
    super();
  }

  override eq(other: GutterMarker): boolean {
    if (!(other instanceof AuthorMarker)) return false;
    return other.author === this.author && other.colour === this.colour && other.isFirst === this.isFirst;
  }

  override toDOM(): Node {
    const { author, agent, person, authored_at, subject, commit } = this.author;
    const mark = document.createElement("div");
    mark.className = `author ${author}`;
    if (this.colour !== null) mark.style.background = this.colour;
    const who = author === "agent" ? (agent ?? "an agent") : (person ?? "a person");
    const kind = author === "agent" || author === "human" ? null : authorNames[author];
    const when = authored_at === null ? "not committed" : formatRelativeTime(authored_at);
    mark.title = [kind, who, when, subject, commit?.slice(0, 8)].filter(Boolean).join(" · ");
    if (this.isFirst) mark.classList.add("first");
    return mark;
  }
}

function createAuthorGutter(ranges: readonly BlameRange[], by: Colouring) {
  const { oldest, newest } = findTimeRange(ranges);
  const starts = ranges.map(({ first_line }) => first_line);
  return gutter({
    class: "authors",
    lineMarker(editor, block) {
      const number = editor.state.doc.lineAt(block.from).number;
      const range = ranges[findLastAtMost(starts, number)];
      if (range === undefined || range.last_line < number) return null;
      return new AuthorMarker(
        range,
        chooseLineColour(range, by, oldest, newest),
        number === range.first_line,
      );
    },
    domEventHandlers: {
      mousedown(editor, block) {
        editor.dispatch({ selection: { anchor: block.from }, userEvent: "select.pointer" });
        return true;
      },
    },
  });
}

/** The index of the last number that is not above a limit; -1: none. Numbers ascend. */
function findLastAtMost(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
