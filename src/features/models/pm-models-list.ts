import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import {
  embedderDrivers,
  type NamedEmbedder,
  readEmbedderSpec,
  toEmbedderSettings,
} from "../../models/embed/registry.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import { createProgress } from "../../terminal/progress.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { type ListedEmbedder, wordEmbedders } from "./words.ts";

const lookTimeoutMs = 1500;

/** `pm models list [prefix]`: never fails because an embedder does, and waits for none. */
export async function modelsListCommand(
  { cwd, output }: CommandContext,
  prefix: string | undefined,
): Promise<void> {
  const { config, notes } = loadConfig(await findProjectIfAny(cwd));
  for (const note of notes) output.note(note);
  const listed = toList(config).filter(({ spec }) => spec.startsWith(prefix ?? ""));
  if (listed.length === 0) {
    throw new PommelError(
      "usage",
      `Unknown embedder or subcommand: ${prefix}.`,
      "Run `pm models list`, or `pm models --help`.",
    );
  }
  const [code, text] = [config["embed.code"], config["embed.text"]].map(
    (spec) => readEmbedderSpec(spec).spec,
  );
  const listUses = (spec: string) =>
    (["code", "text"] as const).filter((use) => spec === (use === "code" ? code : text));
  const embedders = await Promise.all(
    listed.map(
      async (named): Promise<ListedEmbedder> => ({
        embedder: named.spec,
        about: named.driver.about,
        ...(await lookAt(named, config)),
        used_for: listUses(named.spec),
      }),
    ),
  );
  showAnswer(output, { code, text, embedders }, () => wordEmbedders(embedders));
}

/** Every driver with its default model, and what is configured. */
function toList(config: Config): NamedEmbedder[] {
  const configured = [config["embed.code"], config["embed.text"]].map(readEmbedderSpec);
  const bySpec = new Map(configured.map((named) => [named.spec, named]));
  return embedderDrivers.flatMap(({ name }) => {
    const standard = readEmbedderSpec(name);
    bySpec.set(standard.spec, standard);
    return [...bySpec.values()].filter(({ driver }) => driver.name === name);
  });
}

async function lookAt(
  { driver, model, spec }: NamedEmbedder,
  config: Config,
): Promise<Omit<ListedEmbedder, "embedder" | "about" | "used_for">> {
  const unknown = {
    usable: null,
    detail: "unknown until tried",
    hint: `Run \`pm models test ${spec}\`.`,
  };
  if (!driver.checkAvailability) return unknown;
  const timeout = AbortSignal.timeout(lookTimeoutMs);
  const late = new Promise<typeof unknown>((resolve) => {
    timeout.addEventListener("abort", () => resolve({ ...unknown, detail: "did not answer in time" }));
  });
  try {
    return await Promise.race([driver.checkAvailability(model, toEmbedderSettings(config), timeout), late]);
  } catch (error) {
    const hint = error instanceof PommelError ? error.hint : "";
    return { usable: false, detail: getErrorMessage(error), hint };
  }
}

const megabyte = 1_000_000;

/** `pm models pull <embedder>`: what is there already is not fetched again. */
export async function modelsPullCommand(
  { cwd, output }: CommandContext,
  embedder: string,
): Promise<number | undefined> {
  const { driver, model, spec } = readEmbedderSpec(embedder);
  const { config } = loadConfig(await findProjectIfAny(cwd));
  if (!driver.pull) {
    output.result(
      { embedder: spec, pulled: false, interrupted: false },
      `Nothing to pull for ${spec}: ${driver.about}.`,
    );
    return;
  }
  const signal = makeInterruptionSignal();
  const progress = createProgress({ label: `Pulling ${model || spec}`, unit: "MB" });
  let lastStep = "";
  try {
    const settings = toEmbedderSettings(config);
    await driver.pull(
      model,
      settings,
      ({ step, done, total }) => {
        if (total > 0) progress.update(Math.round(done / megabyte), Math.ceil(total / megabyte));
        else if (step !== lastStep) {
          progress.finish();
          output.note(`${step}…`);
        }
        lastStep = step;
      },
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.finish();
    output.result(
      { embedder: spec, pulled: false, interrupted: true },
      "Interrupted; run it again to continue.",
    );
    return interruptedCode;
  } finally {
    progress.finish();
  }
  output.result(
    { embedder: spec, pulled: true, interrupted: false },
    `${spec} is ready.\n  Try it:  pm models test ${spec}\n  Use it:  pm config set embed.code ${spec}`,
  );
  return;
}
