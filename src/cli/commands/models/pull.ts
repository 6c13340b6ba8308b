import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { embedderSettings, readEmbedderSpec } from "../../../models/embed/registry.ts";
import { loadConfig } from "../../../project/config/config.ts";
import type { CommandContext } from "../../frame.ts";
import { interruptedCode, interruption } from "../../terminal/interruption.ts";
import { createProgress } from "../../terminal/progress.ts";

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
  const signal = interruption();
  const progress = createProgress({ label: `Pulling ${model || spec}`, unit: "MB" });
  let lastStep = "";
  try {
    const settings = embedderSettings(config);
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
