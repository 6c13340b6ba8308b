import MarkdownIt, { type Token } from "markdown-it";

/**
 * What agents and people wrote as Markdown, as HTML. HTML in it stays text; a picture is only its description, as no other
 * host is asked for anything. A table's columns are aligned by classes: inline styles are blocked where it is shown.
 */
const renderer = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: true });
renderer.renderer.rules.image = (tokens, at) => renderer.utils.escapeHtml(tokens[at]!.content);
renderer.renderer.rules.link_open = (tokens, at, options, _, self) => {
  tokens[at]!.attrSet("rel", "noreferrer noopener");
  tokens[at]!.attrSet("target", "_blank");
  return self.renderToken(tokens, at, options);
};
for (const cell of ["th_open", "td_open"]) {
  renderer.renderer.rules[cell] = (tokens, at, options, _, self) => {
    const token = tokens[at]!;
    const align = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
    token.attrs = align === undefined ? null : [["class", align]];
    return self.renderToken(tokens, at, options);
  };
}
// A relative link would be read as one of the page's own.
const isSafe = renderer.validateLink.bind(renderer);
renderer.validateLink = (url) => /^(?:https?|mailto):/i.test(url) && isSafe(url);

// What is no whole address may be a file: README.md.
renderer.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** The same as tokens, for what draws them itself. */
export const parseMarkdown = (text: string): Token[] => renderer.parse(text, {});

/** markdown-it escapes all that it does not write itself. */
export function renderMarkdownAsHtml(text: string): string {
  return renderer.render(text);
}

export const escapeHtml = (text: string): string => renderer.utils.escapeHtml(text);
