import { useMemo } from "preact/hooks";
import { markdownAsHtml } from "../../text/markdown/html.ts";

/** What agents and people wrote as Markdown. */
export function Markdown({ text }: { text: string }) {
  // What may be wider than the page scrolls, and the keyboard has to reach it. The text's own tags are escaped.
  const html = useMemo(() => markdownAsHtml(text).replace(/<(pre|table)>/g, '<$1 tabindex="0">'), [text]);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
