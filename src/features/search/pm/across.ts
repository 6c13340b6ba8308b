import { join } from "node:path";
import { PommelError } from "../../../base/errors.ts";
import { placeInProject } from "../../../base/paths.ts";
import { call } from "../../../client/call.ts";
import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { chooseBestVerdict } from "../../../protocol/reading/evidence.ts";
import type { Shaped } from "../../../protocol/shape-parts.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { noteLeftOut } from "../../../terminal/left-out.ts";
import { locateUserHome, toHomeRelative } from "../../../terminal/text.ts";
import { searchEverywhere, type searchEverywhereResponse } from "../operation.ts";
import type { ResultStyle } from "../result-words.ts";
import { isOfCode, renderGroups } from "./groups.ts";
import { readSearch, type SearchOptions } from "./request.ts";
import { chooseExitCode, renderAnswer } from "./results.ts";

type Everywhere = Shaped<typeof searchEverywhereResponse>;
type SearchedSides = Pick<Everywhere, "code" | "transcripts" | "history">;

/** `pm search --all-projects`: works anywhere, also outside of a project. */
export async function searchAcrossCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: SearchOptions,
): Promise<number> {
  if (options.metrics) {
    throw new PommelError("usage", "--metrics works in one project only.", "Omit --all-projects.");
  }
  const here = await findProjectIfAny(cwd);
  const search = await readSearch(here, words, options, here === null ? "" : placeInProject(here, cwd));
  const asked = { ...search.request, asks: [...search.asks], here: here?.root };
  const across = await call(searchEverywhere, asked, null);
  noteLeftOut(across, output);
  const { code, transcripts, history } = across;
  for (const side of [code, transcripts, history]) {
    for (const note of side?.notes ?? []) output.note(output.colors.dim(note));
  }
  const { projects, left_out } = across;
  const value =
    search.scope === "all"
      ? {
          scope: "all",
          query: search.request.q,
          verdict: chooseBestVerdict([code, transcripts, history]),
          code,
          transcripts,
          history,
          projects,
          left_out,
          notes: [],
        }
      : { ...across[search.scope], projects, left_out };
  const style: ResultStyle = {
    full: options.full ?? false,
    isFiltered: Boolean(options.path ?? options.language ?? options.level ?? options.package),
    isExact: search.request.match !== undefined || /"[^"]+"/.test(search.request.q),
    pathOf: (file) => file,
    // Of many repositories.
    pageOf: () => null,
    absolute: (file) => (file.startsWith("~") ? join(locateUserHome(), file.slice(1)) : file),
    screen: output,
  };
  const found = addProjectNames(across);
  const text =
    found.code !== null && isOfCode(found) ? renderAnswer(found.code, style) : renderGroups(found, style);
  output.result(value, text);
  return chooseExitCode(across);
}

/** The same with places that a person can open from anywhere. */
function addProjectNames({ code, transcripts, history }: SearchedSides): SearchedSides {
  return {
    history: history && { ...history, results: history.results.map(nameProjectInTitle) },
    code: code && { ...code, results: code.results.map(toHomePlace) },
    transcripts: transcripts && { ...transcripts, results: transcripts.results.map(nameProjectInSession) },
  };
}

type SideResults<Side extends keyof SearchedSides> = NonNullable<SearchedSides[Side]>["results"];

function toHomePlace(result: SideResults<"code">[number]) {
  return { ...result, file: toHomeRelative(join(result.project, result.file)) };
}

function nameProjectInSession(result: SideResults<"transcripts">[number]) {
  const { session_title, project, files } = result;
  return {
    ...result,
    session_title: [session_title, `(${toHomeRelative(project)})`].join(" ").trim(),
    files: files.map((file) => toHomeRelative(file.startsWith("/") ? file : join(project, file))),
  };
}

function nameProjectInTitle<R extends SideResults<"history">[number]>(result: R): R {
  return { ...result, title: `${result.title} (${toHomeRelative(result.project)})` };
}
