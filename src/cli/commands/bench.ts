import { createCodeEmbedders } from "../../code/code-embedders.ts";
import { loadConfig } from "../../project/config.ts";
import { codeOf, PommelError } from "../../project/errors.ts";
import { silentLog } from "../../project/log.ts";
import { findProject, type Project, projectAt, rootForInit } from "../../project/paths.ts";
import type { Config } from "../../project/settings.ts";
import { type SelfTestReport, type Stage, selfTest } from "../../search/self-test/self-test.ts";
import type { CommandContext } from "../frame.ts";
import type { Output } from "../output.ts";
import { createProgress, type Progress } from "../progress.ts";
import { renderSelfTest, reportOf } from "./bench-report.ts";

interface BenchOptions {
  queries?: number;
  misses?: boolean;
}

const standardCount = 100;
/** Shell convention for "ended by SIGINT". */
const interruptedCode = 130;

/** `pm bench`: measures search on the project's own code, in a copy; needs neither daemon nor index nor `pm init`. */
export async function benchCommand({ cwd, output }: CommandContext, options: BenchOptions): Promise<number> {
  const project = projectHere(cwd);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    const report = await measure(project, options.queries ?? standardCount, output, interruption.signal);
    if (report.kinds.every(({ queries }) => queries === 0)) throw nothingToAsk(report);
    const misses = options.misses ?? false;
    output.result(reportOf(report, { root: project.root, misses }), () =>
      renderSelfTest(report, { misses, colors: output.colors }),
    );
    return 0;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    output.note("Interrupted; nothing was kept.");
    return interruptedCode;
  }
}

/** A project that was never initialised can be measured, too. */
function projectHere(cwd: string): Project {
  try {
    return findProject(cwd);
  } catch (error) {
    if (codeOf(error) !== "not_initialised") throw error;
    return projectAt(rootForInit(cwd));
  }
}

async function measure(
  project: Project,
  count: number,
  output: Output,
  signal: AbortSignal,
): Promise<SelfTestReport> {
  const config = localOnly(loadConfig(project).config, output);
  const embedders = createCodeEmbedders(config);
  const progress = progressOf();
  try {
    return await selfTest({
      ...{ root: project.root, config, embedders, count, signal },
      onProgress: progress.update,
      log: { ...silentLog, warn: output.note, error: output.note },
    });
  } finally {
    progress.finish();
    await embedders.first.close();
    await embedders.second?.close();
  }
}

/** Nobody who wants figures wants his whole project sent to a server, and to pay for it. */
function localOnly(config: Config, output: Output): Config {
  if (!config["embed.code"].startsWith("openai")) return config;
  output.note(
    `${config["embed.code"]} is left out: nothing is to leave this machine. Measured with the bundled model.`,
  );
  return { ...config, "embed.code": "static" };
}

const labels: Record<Stage, [label: string, unit: string]> = {
  reading: ["Reading", "files"],
  copying: ["Copying", "files"],
  indexing: ["Indexing", "files"],
  asking: ["Asking", "questions"],
};

/** One bar after the other. */
function progressOf() {
  let current: Stage | null = null;
  let bar: Progress | null = null;
  const finish = () => bar?.finish();
  const update = (stage: Stage, done: number, total: number) => {
    if (stage !== current) {
      finish();
      const [label, unit] = labels[stage];
      bar = createProgress({ label, unit });
      current = stage;
    }
    if (total > 0) bar?.update(done, total);
  };
  return { update, finish };
}

function nothingToAsk({ kinds }: SelfTestReport): PommelError {
  const why = kinds.map(({ problem }) => problem).filter((problem) => problem !== null);
  return new PommelError(
    "not_found",
    `There is nothing to ask: ${why.join("; ")}.`,
    "It takes functions with doc comments of a sentence or more, or a git history that says what was changed.",
  );
}
