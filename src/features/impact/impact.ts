import { parsePlace } from "../../answers/file-place.ts";
import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import type { GraphTarget } from "../../code/graph/definitions.ts";
import { CodeGraph } from "../../code/graph/graph.ts";
import { collectImpact } from "../../code/graph/impact.ts";
import { toNodeJson } from "../../code/graph/neighbours.ts";
import { isScriptHost, languages } from "../../code/languages/index.ts";
import { streamChangedFiles } from "../../git/diff/changes.ts";
import { GitFailure } from "../../git/git.ts";
import type { ImpactAnswer, ImpactRequest } from "./operation.ts";

const usualDepth = 3;
const usualLimit = 50;

/**
 * What a change may touch.
 * @throws PommelError `not_found` for what nobody defines, `usage` where nothing is asked about or git fails; as `withIndex`
 */
export function computeImpact(
  project: Project,
  request: ImpactRequest,
  signal?: AbortSignal,
): Promise<ImpactAnswer> {
  const { of = [], diff = false, depth = usualDepth, limit = usualLimit } = request;
  if (of.length === 0 && !diff) {
    throw new PommelError("usage", "No symbol or file given.", "Name a symbol or a file, or use --diff.");
  }
  return withIndex(project, loadConfig(project).config, async (index) => {
    const graph = await CodeGraph.openForIndex(index, project.root);
    const files: Languages = new Map((await index.files()).map(({ path, language }) => [path, language]));
    const targets: GraphTarget[] = [];
    for (const one of of) targets.push(...(await findTargets(graph, files, one)));
    const notes: string[] = [];
    if (diff) {
      const changed = await findChangedDefinitions(project, graph, files, signal);
      targets.push(...changed.targets);
      notes.push(...changed.notes);
    }
    const { touched, isCut, importers } = await collectImpact(graph, targets, depth);
    if (isCut) notes.push("A name is in too many files to look into all of them.");
    if (importers.length > 0) notes.push(describeImporters(importers));
    const tests = touched.filter(({ is_test }) => is_test);
    return {
      targets: await Promise.all(
        targets
          .slice(0, maxResults)
          .map(async (one) => toNodeJson(await graph.definitions.describeTarget(one))),
      ),
      touched: touched.slice(0, limit),
      total: touched.length,
      tests: tests.length,
      test_files: [...new Set(tests.map(({ file }) => file))],
      notes: [...notes, ...(await listUnknowns(graph, files, targets))],
    };
  });
}

const importersShown = 3;

function describeImporters(files: readonly string[]): string {
  const more = files.length > importersShown ? `, and ${files.length - importersShown} more` : "";
  const named = `${files.slice(0, importersShown).join(", ")}${more}`;
  return files.length === 1
    ? `1 file imports it, but where it uses it cannot be followed: ${named}.`
    : `${files.length} files import it, but where they use it cannot be followed: ${named}.`;
}

/** The language of each file that is indexed. */
type Languages = ReadonlyMap<string, string>;

/** A file, lines of one, or a symbol. */
async function findTargets(graph: CodeGraph, files: Languages, asked: string): Promise<GraphTarget[]> {
  const { file, lines } = parsePlace(asked.replace(/^(\.\/)+/, ""), (name) => files.has(name));
  if (files.has(file)) {
    const found =
      lines === null
        ? await graph.definitions.listDefinitionsOfFile(file)
        : await graph.definitions.findDefinitionsAt(file, lines.first, lines.last);
    if (found.length > 0) return found;
    if (!(await graph.hasReferences(file))) {
      throw new PommelError(
        "not_found",
        describeUnknownCalls(files, file),
        `\`pm search code\` finds where a name is used.`,
      );
    }
    throw new PommelError(
      "not_found",
      `Nothing is defined in ${asked}.`,
      "Name a function, a type, or a file that defines some.",
    );
  }
  const found = await graph.findNamedDefinitions(asked);
  if (found.length > 0) return found;
  const silent = listSilentLanguages(new Set(files.values()));
  throw new PommelError(
    "not_found",
    silent.length > 0
      ? `${JSON.stringify(asked)} is not defined in the indexed files. ${joinNames(silent)} files are not analysed.`
      : `${JSON.stringify(asked)} is not defined in the indexed files.`,
    `\`pm search code ${asked}\` finds similar names, and where they are used.`,
  );
}

async function findChangedDefinitions(
  project: Project,
  graph: CodeGraph,
  files: Languages,
  signal: AbortSignal | undefined,
): Promise<{ targets: GraphTarget[]; notes: string[] }> {
  const targets: GraphTarget[] = [];
  const gone: string[] = [];
  const changed = new Set<string>();
  try {
    for await (const { path, status, hunks } of streamChangedFiles(
      project.root,
      { from: "HEAD", to: null },
      { signal },
    )) {
      if (status === "D") gone.push(path);
      const language = files.get(path);
      if (language === undefined) continue;
      changed.add(language);
      for (const { newStart, added } of hunks) {
        targets.push(
          ...(await graph.definitions.findDefinitionsAt(
            path,
            newStart,
            newStart + Math.max(added.length, 1) - 1,
          )),
        );
      }
    }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    throw new PommelError(
      "usage",
      `git cannot list the changes: ${error.message.replace(/\.$/, "")}.`,
      "Name symbols or files instead.",
    );
  }
  const distinct = [...new Map(targets.map((one) => [`${one.file}\n${one.at}`, one])).values()];
  const notes = gone.length > 0 ? [`Deleted files are not looked at: ${gone.slice(0, 5).join(", ")}.`] : [];
  const silent = listSilentLanguages(changed);
  if (silent.length > 0) notes.push(`Changes in ${joinNames(silent)} files are not looked at.`);
  else if (distinct.length === 0) notes.push("No uncommitted change is within a definition.");
  return { targets: distinct, notes };
}

/** What an empty answer does not say. */
async function listUnknowns(
  graph: CodeGraph,
  files: Languages,
  targets: readonly GraphTarget[],
): Promise<string[]> {
  for (const { file } of targets) {
    if (await graph.hasReferences(file)) continue;
    return [describeUnknownCalls(files, file)];
  }
  const present = new Set(files.values());
  const silent = listSilentLanguages(present);
  const markup = [...present].filter(isScriptHost);
  return [
    ...(silent.length > 0 ? [`Callers in ${joinNames(silent)} files are not known.`] : []),
    ...(markup.length > 0
      ? [`Of ${joinNames(markup)} files only scripts are known, not what their markup calls.`]
      : []),
    "Not known: calls of functions that are passed as values, by reflection, by names that are built at run time, in macros, and from other repositories.",
  ];
}

/** Titles of those in which nobody knows who calls what. */
const listSilentLanguages = (present: ReadonlySet<string>): string[] =>
  languages.flatMap(({ id, title, grammar }) => (present.has(id) && !grammar.references ? [title] : []));

function describeUnknownCalls(files: Languages, file: string): string {
  const language = files.get(file);
  const title = languages.find(({ id }) => id === language)?.title ?? language;
  return `Who calls what is not known for ${title ?? "its language"}.`;
}

/** "Ruby", "Ruby and PHP", "Ruby, PHP and Bash". */
function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
