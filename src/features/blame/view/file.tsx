import { useMemo } from "preact/hooks";
import { shortenHash } from "../../../base/text/short-hash.ts";
import { isEverywhere } from "../../../page/api/place.ts";
import { buildEditorLink } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { ProjectList } from "../../../page/components/project-list.tsx";
import { Empty, Failure, Loading, Notes } from "../../../page/components/states.tsx";
import type { ViewProps } from "../../../page/router.ts";
import { goTo, linkTo, linkToFile, route } from "../../../page/router.ts";
import { wordSharesByAuthor } from "../../../protocol/reading/authors.ts";
import type { Note } from "../../notes/operation.ts";
import { fileParts, linesParts } from "../../page-parts.ts";
import { Code } from "./code.tsx";
import { type Colouring, colourings } from "./colours.ts";
import { Crumbs, Directory } from "./directory.tsx";
import "./file.css";

const maxNotes = 1000;
const noNotes: readonly Note[] = [];

/** A file, or what lies in a directory. */
export default function FileOrDirectory(props: ViewProps) {
  const { rest } = props;
  if (rest === "" && isEverywhere()) return <ProjectList title="Code of all projects" path="/file/" />;
  if (rest === "" || rest.endsWith("/")) return <Directory path={rest.replace(/\/$/, "")} />;
  return <File {...props} />;
}

/** A file with who wrote each line, and why the chosen line is there. */
function File({ rest, query }: ViewProps) {
  const [, path = rest, from, to = from] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/s.exec(rest) ?? [];
  const line = from === undefined ? null : Number(from);
  const last = Number(to);
  const rev = query.get("rev") ?? undefined;
  const by = colourings.find(([name]) => name === query.get("by"))?.[0] ?? "author";
  const { data, error, reload } = useAnswer("blame", { file: path, texts: true, rev });
  const { data: noted } = useAnswer("annotations", { file: path, limit: maxNotes });
  const lines = useMemo(() => (data?.lines ?? []).map(({ text }) => text), [data]);
  const keep = { rev, by: query.get("by") ?? undefined };
  const notes = noted?.annotations ?? noNotes;
  // A path from elsewhere may be a directory's.
  if (error?.message.includes("is a directory")) return <Directory path={path} />;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={10} />;
  return (
    <div class="file">
      <header class="view-head">
        <h1>
          <Crumbs path={path} />
        </h1>
        <LinesBar lines={data.summary} />
        <p class="count">{wordSharesByAuthor(data.summary)}</p>
        {rev !== undefined && (
          <p class="count">
            as of <code>{shortenHash(rev)}</code> · <a href={linkToFile(path, line)}>today</a>
          </p>
        )}
        <div class="chips">
          <select
            class="chip"
            aria-label="Colours"
            value={by}
            onChange={(event) => {
              const chosen = event.currentTarget.value as Colouring;
              goTo(withQuery(linkToFile(path, line), { rev, by: chosen }), { replace: true });
            }}
          >
            {colourings.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
          {rev === undefined && <EditorButton path={path} line={line ?? 1} />}
        </div>
      </header>
      <Notes of={data.notes} />
      {lines.length === 0 ? (
        <Empty title="An empty file" />
      ) : (
        <div class="file-columns">
          <Code
            path={path}
            lines={lines}
            ranges={data.ranges}
            by={by}
            notes={rev === undefined ? notes : noNotes}
            line={line}
            last={last}
            onLines={(first, last) => goTo(withQuery(linkToFile(path, first, last), keep), { replace: true })}
          />
          <aside aria-label={line === null ? "History" : "Why the line is there"} aria-live="polite">
            {line === null ? (
              <>
                <p class="faint">
                  Choose a line, or several, to see why they are there and to write a note on them.
                </p>
                {Object.entries(fileParts).map(([name, Part]) => (
                  <Part key={name} path={path} notes={notes} />
                ))}
              </>
            ) : (
              Object.entries(linesParts).map(([name, Part]) => (
                <Part
                  key={`${name} ${line}-${last} ${rev}`}
                  file={path}
                  line={line}
                  last={last}
                  rev={rev}
                  notes={notes}
                />
              ))
            )}
          </aside>
        </div>
      )}
    </div>
  );
}

function EditorButton({ path, line }: { path: string; line: number }) {
  const editor = buildEditorLink(path, line);
  if (editor === null) return null;
  return (
    <a class="chip" href={editor} data-place={`${path}:${line}`}>
      Open in the editor
    </a>
  );
}

function withQuery(link: string, query: Record<string, string | undefined>): string {
  return linkTo(link.slice(1).split("?")[0] ?? route.value.path, query);
}
