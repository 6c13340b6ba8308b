import { useMemo } from "preact/hooks";
import { markdownAsHtml } from "../../text/markdown-html.ts";

/** What agents and people wrote as Markdown. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => markdownAsHtml(text), [text]);
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
