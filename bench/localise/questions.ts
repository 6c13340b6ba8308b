import { grammarOf, languageOf } from "../../src/code/languages/index.ts";
import { questionOfCommit } from "../../src/evaluate/commit-pairs.ts";
import { type DocPair, mineDocPairs, withoutDocs } from "../../src/evaluate/doc-pairs.ts";
import type { Pair } from "../../src/evaluate/pairs.ts";
import { copySources } from "../../src/evaluate/scratch-copy.ts";
import { commitsOf } from "../../src/git/history/history.ts";
import type { Config } from "../../src/project/config/settings.ts";
import { type PathRole, roleOf } from "../../src/search/code/path-role.ts";
import type { DocComment, FileStamp } from "../../src/store/index/records.ts";
import type { Past } from "./checkout.ts";

/** A commit that changed more source files than this has no one place. */
const maxFiles = 3;
/** Shorter subjects ask for nothing. Words. */
const minWords = 4;
/** What a change of a program is made in. */
const sources: ReadonlySet<PathRole> = new Set(["source", "barrel", "types"]);

/** Programs in languages that are cut by lines. */
const withoutGrammar = new Set(
  "clojure dart erlang fsharp groovy haskell julia objectivec ocaml perl powershell r vim zig".split(" "),
);

const isProgram = (path: string) => {
  const language = languageOf(path);
  return grammarOf(language) !== null || withoutGrammar.has(language);
};
const isSource = (path: string) => sources.has(roleOf(path)) && isProgram(path);

/**
 * Subjects of later commits, with the source files that each changed, all of which were there before it; and those of commits that
 * changed none, but tests, documents or settings. Nobody words these questions, so nothing can be tuned to their wording.
 * @param files that were there
 */
export async function laterCommits(
  { root, later }: Past,
  files: ReadonlySet<string>,
  count: number,
): Promise<{ commit: Pair[]; other: Pair[] }> {
  const found = { commit: new Map<string, Pair>(), other: new Map<string, Pair>() };
  for await (const { message, files: changed, ...commit } of commitsOf(root, { revisions: later })) {
    const ofSources = changed.filter(isSource);
    const targets = ofSources.length > 0 ? ofSources : changed;
    if (targets.length > maxFiles || !targets.every((file) => files.has(file))) continue;
    const [subject = ""] = message.split("\n");
    const query = questionOfCommit({ ...commit, message: subject, files: changed });
    if (query === null || query.split(/\s+/).length < minWords) continue;
    const kind = ofSources.length > 0 ? found.commit : found.other;
    if (targets.length > 0) kind.set(query, { query, targets: targets.map((file) => ({ file })) });
  }
  return {
    commit: spread([...found.commit.values()], count),
    other: spread([...found.other.values()], count),
  };
}

/** So many of them, evenly spread. */
function spread<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return all.filter((_, i) => Math.floor(i / step) > Math.floor((i - 1) / step)).slice(0, count);
}

/** Documented functions and types, asked for by their comments, and a copy of the files at `copy` that lacks these. */
export async function documented(
  { root }: Past,
  copy: string,
  {
    config,
    stamps,
    seed,
    count,
  }: { config: Config; stamps: readonly FileStamp[]; seed: string; count: number },
): Promise<{ function: Pair[]; type: Pair[] }> {
  const mined = { root, config, stamps, seed, count };
  const found = {
    function: await mineDocPairs(mined),
    type: await mineDocPairs({ ...mined, level: "class" }),
  };
  const hidden = new Map<string, DocComment[]>();
  for (const { file, docs } of [...found.function, ...found.type])
    hidden.set(file, [...(hidden.get(file) ?? []), ...docs]);
  await copySources({
    ...{ from: root, to: copy, stamps, maxFileSize: config["index.max_file_size"] },
    change: (path, text) => withoutDocs(text, hidden.get(path) ?? []),
    onProgress: () => {},
  });
  const asPairs = (pairs: readonly DocPair[]) => pairs.map(({ query, targets }) => ({ query, targets }));
  return { function: asPairs(found.function), type: asPairs(found.type) };
}
