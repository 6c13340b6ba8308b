import { useMemo, useState } from "preact/hooks";
import { renderMarkdownAsHtml } from "../../base/text/markdown/html.ts";

/** What agents and people wrote as Markdown. */
export function Markdown({ text }: { text: string }) {
  // What may be wider than the page scrolls, and the keyboard has to reach it. The text's own tags are escaped.
  const html = useMemo(
    () => renderMarkdownAsHtml(text).replace(/<(pre|table)>/g, '<$1 tabindex="0">'),
    [text],
  );
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** About as many fit in a line. */
const charactersOfLine = 80;

/** Markdown of which the beginning is shown: a pasted plan or a log would hide what stands below. */
export function Clamped({ text, lines }: { text: string; lines: number }) {
  const isLong = text.length > lines * charactersOfLine || text.split("\n").length > lines;
  const [isOpen, setOpen] = useState(!isLong);
  return (
    <>
      <div class={isOpen ? undefined : "clamped"} style={{ "--lines": lines }}>
        <Markdown text={text} />
      </div>
      {isLong && (
        <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all of it"}
        </button>
      )}
    </>
  );
}
