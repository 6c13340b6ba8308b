import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { locate, parsePlace } from "../../../answers/file-place.ts";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { toFileUrl } from "../../../terminal/links.ts";
import type { Screen } from "../../../terminal/output.ts";
import { compileQueryWords, renderSnippet } from "../../../terminal/render-found.ts";
import { formatHeading, toPrintable } from "../../../terminal/text.ts";
import { type ChunkAnswer, type ChunkOutline, showChunk } from "../operation.ts";

/** `pm code chunk`. */
export async function chunkCommand({ cwd, output }: CommandContext, place: string): Promise<void> {
  const project = await findProject(cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const isId = named.lines === null && /^[0-9a-f]{16}$/.test(place) && !existsSync(resolve(cwd, place));
  // The operation takes paths from the project's root.
  const id = isId ? place : `${locate(project, cwd, named.file)}${place.slice(named.file.length)}`;
  const found = await call(showChunk, { id }, project);
  output.result(found, () => renderChunk(found, output, (file) => toFileUrl(join(project.root, file))));
}

/** A chunk for a person: where it is, its code, and the places of what is around and in it. */
export function renderChunk(answer: ChunkAnswer, screen: Screen, urlOf: (file: string) => string): string {
  const { file, language, chunk, parents, children, freshness } = answer;
  const { colors } = screen;
  const line = (one: ChunkOutline) => {
    const place = colors.place(`${toPrintable(file)}:${one.start_line}-${one.end_line}`);
    return `${colors.link(place, urlOf(file))}  ${toPrintable([one.kind || one.level, one.name].join(" ").trim())}`;
  };
  const stale = freshness === "drifted" ? `  ${colors.warn("(changed since it was indexed)")}` : "";
  const snippet = {
    kind: "code" as const,
    content: chunk.content,
    startLine: chunk.start_line,
    language,
  };
  const code = renderSnippet(snippet, { screen, full: true, words: compileQueryWords(""), indent: 0 });
  const list = (title: string, chunks: readonly ChunkOutline[]) =>
    chunks.length === 0 ? [] : [[formatHeading(title, colors), ...chunks.map(line)].join("\n")];
  return [
    `${line(chunk)}${stale}`,
    code.join("\n"),
    ...list("Lies in", parents),
    ...list("Holds", children),
  ].join("\n\n");
}
