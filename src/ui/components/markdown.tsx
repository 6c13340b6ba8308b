import MarkdownIt from "markdown-it";
import { useMemo } from "preact/hooks";

/**
 * What agents and people wrote as Markdown. HTML in it stays text; a picture is only its description, as the page asks no
 * other host for anything.
 */
const renderer = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
renderer.renderer.rules.image = (tokens, at) => renderer.utils.escapeHtml(tokens[at]!.content);
renderer.renderer.rules.link_open = (tokens, at, options, _, self) => {
  tokens[at]!.attrSet("rel", "noreferrer noopener");
  tokens[at]!.attrSet("target", "_blank");
  return self.renderToken(tokens, at, options);
};
// A relative link would be read as one of this page's own views.
const isSafe = renderer.validateLink.bind(renderer);
renderer.validateLink = (url) => /^(?:https?|mailto):/i.test(url) && isSafe(url);

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => renderer.render(text), [text]);
  // markdown-it escapes all that it does not write itself.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
