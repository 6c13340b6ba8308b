import {
  type Document,
  type DocumentBlock,
  type DocumentLine,
  type LinePart,
  type TextPiece,
  tabulateRanges,
} from "../../answers/document.ts";
import { linkToCommit, linkToFile, linkToSession } from "../router.ts";
import { LinesBar } from "./badge.tsx";
import { CodeLines, Command, Preformatted } from "./code-lines.tsx";
import { Diff } from "./diff.tsx";
import { Table } from "./layout.tsx";
import { Clamped, Markdown } from "./markdown.tsx";
import { Inline } from "./marked.tsx";
import { Moment, Time } from "./time.tsx";

/** An answer as its feature words it for all faces: places, commits and sessions lead there. */
export function Worded({ document }: { document: Document }) {
  return (
    <div class="document">
      {document.map((paragraph, i) => (
        <div key={i}>
          {paragraph.map((one, j) => (
            <WordedBlock key={j} of={one} />
          ))}
        </div>
      ))}
    </div>
  );
}

function WordedBlock({ of: one }: { of: DocumentBlock }) {
  switch (one.is) {
    case "heading":
      return <h2>{one.text}</h2>;
    case "title":
      return <h3>{one.text}</h3>;
    case "line":
    case "item":
    case "cut": {
      const [command] = one.line.filter(isCommand);
      // A prompt's sign and the command line: to be copied.
      if (command !== undefined && one.line.length <= 2) return <Command line={command.text} />;
      return (
        <p class={one.is !== "line" ? one.is : one.indent > 0 ? "row-text" : undefined}>
          <Words of={one.line} isOfList={one.is === "item"} />
        </p>
      );
    }
    case "labelled":
      return (
        <p>
          <b>{one.label}</b> <Words of={one.line} />
        </p>
      );
    case "table":
      return (
        <Table head={one.columns.map(({ title }) => title)}>
          {one.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>
                  <Words of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </Table>
      );
    case "annotated":
      return <WordedBlock of={tabulateRanges(one)} />;
    case "passage":
      return <Markdown text={one.text} />;
    case "prompt":
      return (
        <div class="said prompt">
          <Clamped text={one.text} lines={one.shownLines} />
        </div>
      );
    case "code":
      return (
        <CodeLines text={one.lines.join("\n")} firstLine={one.first} words={[]} maxLines={one.shownLines} />
      );
    case "lines":
      return one.patchOf === undefined ? (
        <Preformatted class="excerpt">{one.lines.join("\n")}</Preformatted>
      ) : (
        <Diff path={one.patchOf} lines={one.lines} />
      );
    case "former":
      return (
        <Preformatted class="excerpt">
          {one.lines.map((text) => `${one.sign} ${text}`).join("\n")}
        </Preformatted>
      );
  }
}

const isCommand = (part: LinePart): part is TextPiece =>
  typeof part !== "string" && "text" in part && part.role === "command";

/** @param props.isOfList the arrow keys go to its links */
const Words = ({ of: line, isOfList = false }: { of: DocumentLine; isOfList?: boolean }) => (
  <>
    {line.map((part, i) => (
      <Word key={i} of={part} isOfList={isOfList} />
    ))}
  </>
);

function Word({ of: part, isOfList }: { of: LinePart; isOfList: boolean }) {
  if (typeof part === "string") return <>{part === " | " ? " · " : part}</>;
  if ("draw" in part) return part.draw === "authors" ? <LinesBar lines={part.lines} /> : null;
  if ("at" in part) return part.form === "ago" ? <Time at={part.at} /> : <Moment at={part.at} />;
  const { text, role, commit, session, quotedChars } = part;
  const shown = quotedChars === undefined ? text : <Inline text={text} />;
  if (commit !== undefined || session !== undefined)
    return (
      <a
        data-row={isOfList ? "" : undefined}
        href={session === undefined ? linkToCommit(commit!) : linkToSession(session.id, session.turn)}
      >
        {shown}
      </a>
    );
  switch (role) {
    case "strong":
      return <b>{text}</b>;
    case "command":
      return <code>{text}</code>;
    case "place": {
      const [, path = text, line] = /^(.*?)(?::(\d+)(?:-\d+)?)?$/s.exec(text.trim()) ?? [];
      return (
        <a class="path" href={linkToFile(path, line === undefined ? null : Number(line))}>
          {text}
        </a>
      );
    }
    default:
      return <span class={role}>{shown}</span>;
  }
}
