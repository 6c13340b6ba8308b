import { type ComponentChildren, h } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { parseMarkdown } from "../../base/text/markdown/html.ts";
import "../styles/syntax.css";
import { CopyButton, Preformatted } from "./code-lines.tsx";
import type { ColouredPiece } from "./highlight.ts";

/** What agents and people wrote as Markdown. */
export function Markdown({ text }: { text: string }) {
  const content = useMemo(() => draw(parseMarkdown(text)), [text]);
  return <div class="markdown">{content}</div>;
}

type Token = ReturnType<typeof parseMarkdown>[number];

/** Elements from tokens: of what opens and closes, with what stands between, and of what stands alone. */
function draw(tokens: readonly Token[]): ComponentChildren[] {
  const whole: ComponentChildren[] = [];
  const open: { token: Token; children: ComponentChildren[] }[] = [];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, children: [] });
      continue;
    }
    const closed = token.nesting === -1 ? open.pop() : undefined;
    const drawn = closed === undefined ? drawAlone(token) : drawAround(closed.token, closed.children);
    (open.at(-1)?.children ?? whole).push(drawn);
  }
  return whole;
}

function drawAround(token: Token, children: ComponentChildren[]): ComponentChildren {
  const { tag, hidden } = token;
  // A paragraph of a tight list is none.
  if (hidden) return children;
  const href = token.attrGet("href");
  if (href !== null)
    return (
      <a href={String(href)} rel="noreferrer noopener" target="_blank">
        {children}
      </a>
    );
  const align = /^text-align:(\w+)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
  const start = token.attrGet("start");
  return h(
    tag,
    {
      ...(align !== undefined && { class: align }),
      ...(start !== null && { start: Number(start) }),
      // What may be wider than the page scrolls, and the keyboard has to reach it.
      ...(tag === "table" && { tabIndex: 0 }),
    },
    children,
  );
}

function drawAlone({ type, content, children, info }: Token): ComponentChildren {
  switch (type) {
    case "inline":
      return isLog(content) ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
        <code class="log" tabIndex={0}>
          {content}
        </code>
      ) : (
        draw(children ?? [])
      );
    case "text":
      return content.replace(/^\[([ x])\] /i, (_, mark) => (mark === " " ? "☐ " : "☑ "));
    case "code_inline":
      return <code>{content}</code>;
    case "fence":
    case "code_block":
      return <CodeBlock text={content.replace(/\n$/, "")} language={info.trim().split(/\s/, 1)[0] ?? ""} />;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    default:
      // Of a picture its description, as no other host is asked for anything.
      return content;
  }
}

/** A paragraph of more lines is no prose, but what was pasted from a program. */
const maxProseLines = 10;

const isLog = (content: string) => content.split("\n").length > maxProseLines;

/** A block of code in its language's colours, to be copied. */
function CodeBlock({ text, language }: { text: string; language: string }) {
  const [lines, setLines] = useState<readonly ColouredPiece[][] | null>(null);
  useEffect(() => {
    let isWanted = language !== "";
    if (isWanted)
      void import("./highlight.ts").then(async ({ loadParser, highlightPieces }) => {
        const parser = await loadParser({ language });
        if (isWanted && parser !== null) setLines(highlightPieces(text.split("\n"), parser));
      });
    return () => {
      isWanted = false;
    };
  }, [text, language]);
  return (
    <div class="code-block">
      <CopyButton label="Copy" text={() => text} />
      <Preformatted>
        <code>
          {lines?.map((pieces, i) => [
            i > 0 && "\n",
            ...pieces.map((piece) => <span class={piece.style}>{piece.text}</span>),
          ]) ?? text}
        </code>
      </Preformatted>
    </div>
  );
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
