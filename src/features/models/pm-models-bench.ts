import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { chooseInitRoot, findProjectIfAny } from "../../git/projects/find-project.ts";
import { closeEmbedders, createEmbedders } from "../../models/embed/embedders.ts";
import { readEmbedderSpec } from "../../models/embed/registry.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress, type Progress } from "../../terminal/progress.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import type { Quality } from "./evaluate/measures.ts";
import { runSelfTest, type SelfTestReport, type Stage } from "./evaluate/self-test.ts";
import { wordSelfTest } from "./words.ts";

/** What `--json` prints. */
function toReportJson(report: SelfTestReport, { root, misses }: { root: string; misses: boolean }) {
  return {
    root,
    ...report,
    kinds: report.kinds.map(({ misses: missed, modes, ...kind }) => ({
      ...kind,
      modes: Object.fromEntries(
        Object.entries(modes).map(([mode, quality]) => [mode, roundQuality(quality)]),
      ),
      ...(misses && { misses: missed }),
    })),
  };
}

function roundQuality(quality: Quality): Record<string, number> {
  return Object.fromEntries(
    Object.entries(quality).map(([key, value]) => [key, Math.round(value * 1e4) / 1e4]),
  );
}

interface BenchOptions {
  queries?: number;
  model?: string;
  misses?: boolean;
}

const standardCount = 100;

/** `pm models bench`: measures search on the project's own code, in a copy; needs neither daemon nor index nor `pm init`. */
export async function benchCommand({ cwd, output }: CommandContext, options: BenchOptions): Promise<number> {
  // A project that was never initialised can be measured, too.
  const project = (await findProjectIfAny(cwd)) ?? makeNewProject(chooseInitRoot(cwd));
  const config = chooseConfig(project, options.model, output);
  const signal = makeInterruptionSignal();
  try {
    const count = options.queries ?? standardCount;
    const report = await measure({ root: project.root, config, count, signal }, output);
    if (report.kinds.every(({ queries }) => queries === 0)) throw makeNothingToAskError(report);
    const misses = options.misses ?? false;
    const value = toReportJson(report, { root: project.root, misses });
    showAnswer(output, value, () => wordSelfTest(report, misses));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    output.note("Interrupted; nothing was kept.");
    return interruptedCode;
  }
}

/** The project's configuration with the model to measure: one that is named, or the configured one if it is at hand. */
function chooseConfig(project: Project, named: string | undefined, output: Output): Config {
  const { config } = loadConfig(project);
  if (named !== undefined) return { ...config, "embed.code": readEmbedderSpec(named).spec };
  if (!isElsewhere(config)) return config;
  // A benchmark must not upload a whole project to a server that charges for it.
  output.note(`${config["embed.code"]} is not on this machine: measured with the bundled model instead.`);
  return { ...config, "embed.code": "static" };
}

function isElsewhere(config: Config): boolean {
  const driver = readEmbedderSpec(config["embed.code"]).driver.name;
  if (driver !== "ollama" && driver !== "openai") return false;
  const { hostname } = new URL(config[driver === "ollama" ? "ollama.url" : "openai.url"]);
  return !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function measure(
  options: { root: string; config: Config; count: number; signal: AbortSignal },
  output: Output,
): Promise<SelfTestReport> {
  const embedders = createEmbedders(options.config, "code");
  const progress = createStageProgress();
  const say = (line: string) => {
    progress.finish();
    output.note(line);
  };
  try {
    const log = { ...silentLog, warn: say, error: say };
    return await runSelfTest({ ...options, embedders, onProgress: progress.update, log });
  } finally {
    progress.finish();
    await closeEmbedders(embedders);
  }
}

const labels: Record<Stage, [label: string, unit: string]> = {
  reading: ["Reading", "files"],
  copying: ["Copying", "files"],
  indexing: ["Indexing", "files"],
  embedding: ["Embedding", "files"],
  asking: ["Asking", "questions"],
};

/** One bar after the other; questions of the second kind get one of their own. */
function createStageProgress() {
  let current: Stage | null = null;
  let last = 0;
  let bar: Progress | null = null;
  const finish = () => bar?.finish();
  const update = (stage: Stage, done: number, total: number) => {
    const isNew = stage !== current || done < last;
    last = done;
    if (isNew) {
      finish();
      const [label, unit] = labels[stage];
      bar = createProgress({ label, unit });
      current = stage;
    }
    if (total > 0) bar?.update(done, total);
  };
  return { update, finish };
}

function makeNothingToAskError({ kinds }: SelfTestReport): PommelError {
  const why = kinds.map(({ problem }) => problem).filter((problem) => problem !== null);
  return new PommelError(
    "not_found",
    `No questions to measure with: ${why.join("; ")}.`,
    "`pm models bench` needs functions with doc comments of at least a sentence, or commits with descriptive messages.",
  );
}
