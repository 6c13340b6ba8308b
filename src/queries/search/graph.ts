import { loadConfig } from "../../project/config/config.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { CodeGraph } from "../../search/graph/graph.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { withIndex } from "../open.ts";

/** Asks the graph for what an answer can do without; null where there is no index that can be read. */
export async function fromGraph<T>(
  project: Project,
  ask: (graph: CodeGraph, index: CodeIndex) => Promise<T>,
): Promise<T | null> {
  try {
    return await withIndex(project, loadConfig(project).config, async (index) =>
      ask(await CodeGraph.of(index, project.root), index),
    );
  } catch (error) {
    if (error instanceof PommelError) return null;
    throw error;
  }
}
