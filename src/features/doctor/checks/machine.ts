import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import packageJson from "../../../../package.json" with { type: "json" };
import { loadConfig } from "../../../base/config/config.ts";
import type { Config } from "../../../base/config/settings.ts";
import { getErrorMessage } from "../../../base/errors.ts";
import { findProgram } from "../../../base/find-program.ts";
import type { Project } from "../../../base/paths.ts";
import { locateProgram } from "../../../client/autostart.ts";
import { call } from "../../../client/call.ts";
import grammars from "../../../code/languages/grammars.json" with { type: "json" };
import type { Availability } from "../../../models/embed/embedder.ts";
import { readEmbedderSpec, toEmbedderSettings } from "../../../models/embed/registry.ts";
import { explainWhyNoModelScrubs, readLlmSpec, toLlmSettings } from "../../../models/generate/registry.ts";
import { formatCount } from "../../../terminal/text.ts";
import { countUnreadByModel, inspectRegistry, readSqliteVersion } from "../operation.ts";
import { type CheckResult, type DoctorCheck, fail, ok, warn } from "./check.ts";
import { checkHome } from "./files.ts";

export const homeCheck: DoctorCheck = { name: "home", run: checkHome };

/** What every project on this machine needs. */
export const machineChecks: readonly DoctorCheck[] = [
  homeCheck,
  { name: "node", run: () => checkNode(process.versions.node) },
  { name: "git", run: checkGit },
  { name: "sqlite", run: checkSqlite },
  { name: "watcher", run: checkWatcher },
  { name: "registry", run: checkRegistry },
  { name: "grammars", run: () => checkGrammars(locateProgram("grammars/")) },
];

/** @param version such as "20.19.0" */
export function checkNode(version: string): CheckResult {
  const needed = packageJson.engines.node.replace(/[^\d.]/g, "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
    return ok(`Node ${version} (${needed} or later is supported)`);
  }
  return fail(`Node ${version} is too old.`, `Install Node ${needed} or newer.`);
}

function checkGit(): CheckResult {
  const [program] = findProgram("git") ?? [];
  const { status, stdout } =
    program === undefined
      ? { status: null, stdout: "" }
      : spawnSync(program, ["--version"], { encoding: "utf8", timeout: 5000 });
  if (status === 0) return ok(stdout.trim().replace("git version", "git"));
  return warn(
    "git was not found: commits, blame and the ignore rules of git's configuration are left out.",
    "Install git, or put it on the PATH.",
  );
}

async function checkSqlite(): Promise<CheckResult> {
  try {
    return ok(`SQLite ${await call(readSqliteVersion, {}, null)}`);
  } catch (error) {
    return fail(
      `SQLite does not load: ${getFirstLine(error)}`,
      "Reinstall Pommel on the platform you run it on: Linux, macOS or Windows, x64 or arm64.",
    );
  }
}

async function checkWatcher(): Promise<CheckResult> {
  if (process.platform === "linux") return ok("Node watches the files");
  try {
    await import("@parcel/watcher");
    return ok("the file watcher loads");
  } catch (error) {
    return warn(
      `The native module @parcel/watcher does not load, so Pommel polls for changes: ${getFirstLine(error)}`,
      "Reinstall Pommel with optional dependencies, on the platform you run it on.",
    );
  }
}

async function checkRegistry(): Promise<CheckResult> {
  const state = await call(inspectRegistry, {}, null);
  if (state === null) return ok("no projects yet");
  const known = `${formatCount(state.projects, "project")} known`;
  return state.isMadeAgain
    ? warn(`The registry was damaged, and was made again: ${known}.`, "Check them with `pm projects`.")
    : ok(known);
}

/** @param dir with its final slash */
export function checkGrammars(dir: string): CheckResult {
  const names = [...Object.keys(grammars), "web-tree-sitter"];
  const missing = names.filter((name) => !existsSync(`${dir}${name}.wasm.br`));
  if (missing.length === 0) return ok(`${names.length - 1} grammars`);
  return fail(
    `Grammars are missing from ${dir}: ${missing.join(", ")}. Their languages are indexed without syntax.`,
    "Reinstall Pommel; in a checkout, run `npm run build`.",
  );
}

function getFirstLine(error: unknown): string {
  return getErrorMessage(error).split("\n")[0] ?? "";
}

/** A model that is set but does not say in time whether it can be used is not waited for. Milliseconds. */
const timeoutMs = 2000;

interface SetModel {
  setting: string;
  spec: string;
  /** Absent where only a real call can show it. */
  look: ((signal: AbortSignal) => Promise<Availability>) | undefined;
}

/** Whether the models that the settings name can be used here and now. */
export async function checkModels(project: Project): Promise<CheckResult> {
  const { config } = loadConfig(project);
  const models = listSetModels(config);
  if (models.length === 0) return ok("no model configured: search uses words only");
  const found = await Promise.all(models.map(async (model) => ({ ...model, ...(await findProblem(model)) })));
  const unusable = found.filter(({ problem }) => problem !== null);
  if (unusable.length === 0) {
    // Another check reports faults of the memory.
    const unread = explainWhyNoModelScrubs(config) === null ? await call(countUnreadByModel, {}, project) : 0;
    return unread === 0
      ? ok(`configured models: ${[...new Set(models.map(({ spec }) => spec))].join(", ")}`)
      : warn(
          `The language model of scrub.llm has not read ${formatCount(unread, "session")} that came before it was asked.`,
          "`pm memory scrub --llm` lets it read them.",
        );
  }
  // One server that is down is one problem, whatever it was to be used for.
  const problems = [...new Set(unusable.map(({ problem }) => problem))].map((problem) => {
    const settings = unusable.filter((one) => one.problem === problem).map(({ setting }) => setting);
    return `${problem} (${settings.join(", ")})`;
  });
  return warn(`${problems.join("; ")}.`, unusable[0]?.hint ?? "");
}

function listSetModels(config: Config): SetModel[] {
  const embedders = (["embed.code", "embed.text"] as const).map((setting): SetModel => {
    const { driver, model, spec } = readEmbedderSpec(config[setting]);
    const look = driver.checkAvailability;
    return { setting, spec, look: look && ((signal) => look(model, toEmbedderSettings(config), signal)) };
  });
  const { driver, model, spec } = readLlmSpec(config["llm.model"]);
  const look = driver.checkAvailability;
  const llm = {
    setting: "llm.model",
    spec,
    look: look && ((signal: AbortSignal) => look(model, toLlmSettings(config), signal)),
  };
  return [...embedders, llm].filter((one) => one.spec !== "none");
}

async function findProblem({ look }: SetModel): Promise<{ problem: string | null; hint: string }> {
  if (look === undefined) return { problem: null, hint: "" };
  try {
    const { usable, detail, hint } = await look(AbortSignal.timeout(timeoutMs));
    return { problem: usable ? null : detail, hint };
  } catch (error) {
    return { problem: getErrorMessage(error), hint: "Run `pm models test`." };
  }
}
