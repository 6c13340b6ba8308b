import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";

/** Words of questions that stand everywhere. */
const commonWords = new Set(
  "a an and are as at be by can do does did for from had has have how if in is it no not of on or our so that the then there this to was we were what when where which who why will with you".split(
    " ",
  ),
);

/** The words of a query that are worth marking; all of them if it has no others. */
export function listMarkedWords(query: string): string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
  const telling = words.filter((word) => !commonWords.has(word));
  return telling.length > 0 ? telling : words;
}

/** A text in which the words of a query stand out. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${words.map(escapeRegExp).join("|")})`, "giu");
  return <>{text.split(pattern).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

/** Code, bold and emphasised words, and links, as people and agents write them within a line. */
const inline =
  /(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*\w(?:[^*]*\w)?\*(?![\w*])|(?<!\w)_[a-z0-9](?:[^_]*[a-z0-9])?_(?!\w)|\[[^\]]+\]\(https?:[^)\s]+\))/i;

/** A line of Markdown as what it means, the words of a query marked. */
export function Inline({ text, words = [] }: { text: string; words?: readonly string[] }) {
  return (
    <>
      {text.split(inline).map((part, i) => {
        if (i % 2 === 0) return <Marked key={i} text={part} words={words} />;
        const [, code, bold, emphasised, linked] =
          /^(?:`(.*)`|\*\*(.*)\*\*|[*_](.*)[*_]|\[(.*)\]\(.*\))$/s.exec(part) ?? [];
        const within = bold ?? emphasised ?? linked;
        if (within === undefined) {
          const text = <Marked text={code ?? part} words={words} />;
          return code === undefined ? text : <code key={i}>{text}</code>;
        }
        const content = <Inline key={i} text={within} words={words} />;
        if (bold !== undefined) return <strong key={i}>{content}</strong>;
        return emphasised === undefined ? content : <em key={i}>{content}</em>;
      })}
    </>
  );
}
