import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../../base/config/settings.ts";
import { type Project, readGitDir } from "../../../base/paths.ts";
import { IndexCache } from "../../../store/index/index-cache.ts";
import { createIgnoreRules } from "../../files/ignore.ts";
import { listTrackedFiles, readTrackedEntries } from "../../files/tracked.ts";
import { CachingParser } from "../../index/caching-parser.ts";
import { findSearchWords } from "../engine.ts";
import { analyseQuery } from "../query.ts";
import type { CodeQuery } from "../types.ts";
import { buildSoughtParts } from "./best-files.ts";
import { type ScannedTree, scanTree } from "./scan-tree.ts";
import { TreeIndex } from "./tree-index.ts";

/** Whoever asks waits. Milliseconds. */
const usualParseLimitMs = 1500;
/** The threads that parse for questions end when none came for so long. Milliseconds. */
const restAfterMs = 15_000;

/** By the project's root. */
const trees = new Map<string, SourceTree>();

/** Reads the files of a project for questions that its index cannot answer, or not alone. */
export class SourceTree {
  readonly #parser: CachingParser;
  readonly #cache = new IndexCache();
  #rest: NodeJS.Timeout | undefined;
  #asked = 0;

  private constructor(
    private readonly project: Project,
    private readonly config: Config,
    private readonly parseLimitMs: number,
  ) {
    const withVectors = config["embed.code"] !== "none";
    const index = { files: async () => [] };
    this.#parser = new CachingParser({ project, config, index, withVectors }, this.#cache);
  }

  /**
   * This process's of a project, by its settings of now. It rests by itself when nobody asks.
   * @param parseLimitMs what is not parsed for a question within this is cut by lines. Milliseconds
   */
  static openForProject(project: Project, config: Config, parseLimitMs = usualParseLimitMs): SourceTree {
    const known = trees.get(project.root);
    if (known !== undefined && isDeepStrictEqual(known.config, config)) return known;
    const tree = new SourceTree(project, config, parseLimitMs);
    trees.set(project.root, tree);
    return tree;
  }

  /**
   * Looks for the words of a question, and has what fits it best parsed while it is asked.
   * @throws PommelError `usage` for an invalid pattern, `unreadable`
   */
  async ask<T>(
    request: CodeQuery,
    use: (index: TreeIndex, scanned: ScannedTree) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    clearTimeout(this.#rest);
    this.#asked++;
    try {
      const { project, config } = this;
      const parsedUntil = performance.now() + this.parseLimitMs;
      const words = findSearchWords(request);
      const sought = buildSoughtParts(analyseQuery(words));
      const maxFileSize = config["index.max_file_size"];
      const tracked = readTrackedEntries(readGitDir(project.root));
      // What git tracks says what `.h` means, and is known before the files are looked at.
      this.#parser.setUp(tracked);
      this.#parser.begin();
      const rules = createIgnoreRules(project.root, config, listTrackedFiles(tracked));
      const scanned = await scanTree(project.root, rules, sought, { tracked, maxFileSize, signal });
      return await use(
        new TreeIndex({
          project,
          config,
          parser: this.#parser,
          parsedUntil,
          scanned,
          request,
          words,
          sought,
        }),
        scanned,
      );
    } finally {
      if (--this.#asked === 0) this.#rest = setTimeout(() => void this.close(), restAfterMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#rest);
    if (trees.get(this.project.root) === this) trees.delete(this.project.root);
    await this.#parser.close();
    this.#cache.close();
  }
}
