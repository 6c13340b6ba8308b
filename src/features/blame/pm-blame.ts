import { existsSync, lstatSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parseLines, parsePlace } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { plain, readGitBuffer } from "../../git/git.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { makeCommitPageFinder } from "../../terminal/links.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { toOneLine } from "../../terminal/text.ts";
import type { BlameAnswer, BlameRange } from "./operation.ts";
import { blame } from "./operation.ts";
import { wordBlame, wordBlameSummary, wordExplainedBlame } from "./words.ts";

interface BlameCommandOptions {
  lines?: string[];
  rev?: string;
  summary?: boolean;
  explain?: boolean;
  porcelain?: boolean;
  linePorcelain?: boolean;
  text?: boolean;
}

/** `pm blame` */
export async function blameCommand(
  { cwd, output }: CommandContext,
  place: string | undefined,
  { lines = [], rev, summary = false, explain = false, text = false, ...options }: BlameCommandOptions,
): Promise<void> {
  const project = await findProject(cwd);
  if (lines.length === 0 && rev === undefined && (place === undefined || isDirectory(resolve(cwd, place)))) {
    const { blameDirectory } = await import("./pm-blame-directory.ts");
    return blameDirectory(project, cwd, place ?? ".", output);
  }
  if (place === undefined) throw new PommelError("usage", "No file given.", "Name one: pm blame src/auth.ts");
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const ranges = [...(named.lines ? [named.lines] : []), ...lines.map(parseLines)];
  const file = locate(project, cwd, named.file);
  const porcelain = (options.porcelain || options.linePorcelain) && !output.json;
  const texts = output.json ? text : !summary && !explain && !porcelain;
  const places = ranges.map(({ first, last }) => `${first},${Number.isFinite(last) ? last : ""}`);
  const asked = { file, rev, texts, ...(places.length > 0 && { lines: places }) };
  const answer = await call(blame, asked, project);
  if (porcelain) {
    const format = options.linePorcelain ? "--line-porcelain" : "--porcelain";
    const written = await renderPorcelain(project.root, answer, { format, places });
    // A program gets git's very bytes; in a terminal, no text of a file may move the cursor.
    if (output.columns === undefined) process.stdout.write(written);
    else output.result(answer, written.toString().replace(/\n$/, ""));
    return;
  }
  if (!output.json) for (const note of answer.notes) output.note(output.colors.dim(note));
  const pageOf = await makeCommitPageFinder(project.root, output.colors);
  const word = summary ? wordBlameSummary : explain ? wordExplainedBlame : wordBlame;
  showAnswer(output, summary ? { ...answer, ranges: undefined } : answer, () => word(answer), { pageOf });
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * What `git blame --line-porcelain` or `--porcelain` writes, byte for byte, with headers of our own before each line's
 * text: programs that read git's format skip headers that they do not know.
 * @param places lines as git's -L takes them; none: all
 * @throws GitFailure
 */
async function renderPorcelain(
  root: string,
  { file, revision, ranges }: BlameAnswer,
  { format, places }: { format: "--porcelain" | "--line-porcelain"; places: readonly string[] },
): Promise<Buffer> {
  const args = [
    ...plain,
    "blame",
    format,
    ...places.map((place) => `-L${place}`),
    // No option: the answer is of a revision that git knew. `git blame` of 2.39 knows no --end-of-options.
    ...(revision === null ? [] : [revision]),
    "--",
    file,
  ];
  // The text may have any encoding; nothing but its line breaks matters here.
  const lines = (await readGitBuffer(root, args)).toString("latin1").split("\n");
  let number = 0;
  let at = 0;
  const written = lines.flatMap((line) => {
    const [, final] = /^[0-9a-f]{40,64} \d+ (\d+)/.exec(line) ?? [];
    if (final !== undefined) number = Number(final);
    if (!line.startsWith("\t")) return [line];
    while (at < ranges.length - 1 && number > ranges[at]!.last_line) at++;
    const range = ranges[at];
    const isOfLine = range !== undefined && number >= range.first_line && number <= range.last_line;
    return [...(isOfLine ? formatAuthorHeaders(range) : []), line];
  });
  return Buffer.from(written.join("\n"), "latin1");
}

function formatAuthorHeaders({
  author,
  agent,
  model,
  session_id,
  turn,
  confidence,
  basis,
}: BlameRange): string[] {
  const said = {
    author,
    agent,
    model,
    session: session_id,
    turn,
    basis,
    confidence: author === "agent" || author === "human" ? confidence.toFixed(2) : null,
  };
  return Object.entries(said).flatMap(([name, value]) =>
    value === null ? [] : [Buffer.from(`pommel-${name} ${toOneLine(String(value))}`).toString("latin1")],
  );
}
