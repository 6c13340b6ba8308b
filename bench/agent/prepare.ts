import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Config, makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { decodeText } from "../../src/base/text/decode.ts";
import { createIgnoreRules, type IgnoreRules } from "../../src/code/files/ignore.ts";
import { scanProject } from "../../src/code/files/scan.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { mineDocPairs, withoutDocs } from "../../src/features/models/evaluate/doc-pairs.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import { copySources, everything } from "../../src/features/models/evaluate/scratch-copy.ts";
import { closeEmbedders, createEmbedders } from "../../src/models/embed/embedders.ts";
import type { DocComment, FileStamp } from "../../src/store/index/records.ts";
import type { Repository } from "../search/data.ts";
import { createSources, type Sources } from "./sources.ts";
import { annotatedTasks, functionTasks, type Task } from "./tasks.ts";

/** Tasks, and the project that they are about: both ways of finding their answers look at the same files. */
export interface Prepared {
  project: Project;
  sources: Sources;
  tasks: Task[];
}

interface Options {
  /** The repository's checkout; only read. */
  root: string;
  /** Where indexes and copies are made. */
  indexes: string;
  /** Questions from doc comments. */
  count: number;
}

/** The whole repository, with its annotated questions. */
export async function prepareAnnotated(repository: Repository, options: Options): Promise<Prepared> {
  const config = configFor(repository);
  const project = projectIn(join(options.indexes, "static", repository.name), options.root);
  const sources = await index(project, config, createIgnoreRules(project.root, config));
  return { project, sources, tasks: annotatedTasks(repository, sources) };
}

/** A copy of it from which the comments that make the questions were taken out, as `pm models bench` does. */
export async function prepareFunctions(repository: Repository, options: Options): Promise<Prepared> {
  const { root, count } = options;
  const config = configFor(repository);
  const stamps: FileStamp[] = [];
  for await (const item of scanProject(root, createIgnoreRules(root, config))) {
    if (item.kind === "file" && item.stamp.size <= config["index.max_file_size"]) stamps.push(item.stamp);
  }
  const pairs = await mineDocPairs({ root, config, stamps, seed: repository.name, count });
  const hidden = new Map<string, DocComment[]>();
  for (const { file, docs } of pairs) hidden.set(file, [...(hidden.get(file) ?? []), ...docs]);
  const state = join(options.indexes, "functions", repository.name);
  const project = projectIn(state, join(state, "files"));
  rmSync(project.root, { recursive: true, force: true });
  mkdirSync(project.root);
  await copySources({
    from: root,
    to: project.root,
    stamps,
    maxFileSize: config["index.max_file_size"],
    change: (path, text) => withoutDocs(text, hidden.get(path) ?? []),
    onProgress: () => {},
  });
  const sources = await index(project, makeDefaultConfig(), everything);
  return { project, sources, tasks: functionTasks(repository, pairs) };
}

function configFor({ benchmarkRoot }: Repository): Config {
  const config = makeDefaultConfig();
  if (benchmarkRoot !== "") config["index.include"] = [`${benchmarkRoot}/**`];
  return config;
}

/** A project with its state elsewhere, so that its files stay as they are. */
function projectIn(indexDir: string, root: string): Project {
  mkdirSync(indexDir, { recursive: true });
  return {
    ...makeNewProject(root),
    indexDb: join(indexDir, "index.db"),
    // Nobody's own settings, nor the repository's, are used.
    configFile: join(indexDir, "config.toml"),
    teamConfigFile: join(indexDir, "team.toml"),
  };
}

/** Indexes a project, and reads what was indexed: grep is spared what Pommel leaves out, generated and vendored code. */
async function index(project: Project, config: Config, rules: IgnoreRules): Promise<Sources> {
  const embedders = createEmbedders(config, "code");
  const { index: code } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    await indexInFull({ project, config, rules, index: code, embedders, log: silentLog });
    const files = (await code.files()).map(({ path }) => path);
    return createSources(
      new Map(files.map((path) => [path, decodeText(readFileSync(join(project.root, path))) ?? ""])),
    );
  } finally {
    await code.close();
    await closeEmbedders(embedders);
  }
}
