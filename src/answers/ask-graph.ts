import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import { makeFilesMatcher } from "../base/files/files-matcher.ts";
import type { Project } from "../base/paths.ts";
import { findFilesAround } from "../code/graph/around.ts";
import { CodeGraph } from "../code/graph/graph.ts";
import type { CodeIndex } from "../store/index/port.ts";
import { withIndex } from "./open.ts";

/** Asks the graph for an optional part of an answer; null if no index can be read. */
export async function askGraph<T>(
  project: Project,
  ask: (graph: CodeGraph, index: CodeIndex) => Promise<T>,
): Promise<T | null> {
  try {
    return await withIndex(project, loadConfig(project).config, async (index) =>
      ask(await CodeGraph.openForIndex(index, project.root), index),
    );
  } catch (error) {
    if (error instanceof PommelError) return null;
    throw error;
  }
}

const shownFiles = 10;

/** How many files of a directory or a large change are looked up. Each takes some milliseconds. */
const maxFiles = 30;

/**
 * The files around these files in the call graph; none without an index.
 * @param files paths as stored, directories or globs
 */
export async function findCodeAround(
  project: Project,
  files: readonly string[],
): Promise<Awaited<ReturnType<typeof findFilesAround>>> {
  const isWanted = makeFilesMatcher(files);
  if (isWanted === null) return [];
  const around = await askGraph(project, async (graph, index) => {
    const paths = (await index.files()).map(({ path }) => path).filter(isWanted);
    return findFilesAround(graph, paths.slice(0, maxFiles));
  });
  return (around ?? []).slice(0, shownFiles);
}
