import { call } from "../../../../client/call.ts";
import type { Availability } from "../../../../models/embed/embedder.ts";
import { embedderSettings, readEmbedderSpec } from "../../../../models/embed/registry.ts";
import { llmSettingsOf, readLlmSpec, whyNoModelScrubs } from "../../../../models/generate/registry.ts";
import { loadConfig } from "../../../../project/config/config.ts";
import type { Config } from "../../../../project/config/settings.ts";
import { messageOf } from "../../../../project/errors.ts";
import type { Project } from "../../../../project/paths.ts";
import { counted } from "../../../terminal/text.ts";
import { type CheckResult, ok, warn } from "./check.ts";

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
  const models = modelsOf(config);
  if (models.length === 0) return ok("no model configured: search uses words only");
  const found = await Promise.all(models.map(async (model) => ({ ...model, ...(await problemWith(model)) })));
  const unusable = found.filter(({ problem }) => problem !== null);
  if (unusable.length === 0) {
    // Another check reports faults of the memory.
    const unread = whyNoModelScrubs(config) === null ? await call("unreadByModel", {}, project) : 0;
    return unread === 0
      ? ok(`configured models: ${[...new Set(models.map(({ spec }) => spec))].join(", ")}`)
      : warn(
          `The language model of scrub.llm has not read ${counted(unread, "session")} that came before it was asked.`,
          "`pm memory scrub --llm` lets it.",
        );
  }
  // One server that is down is one problem, whatever it was to be used for.
  const problems = [...new Set(unusable.map(({ problem }) => problem))].map((problem) => {
    const settings = unusable.filter((one) => one.problem === problem).map(({ setting }) => setting);
    return `${problem} (${settings.join(", ")})`;
  });
  return warn(`${problems.join("; ")}.`, unusable[0]?.hint ?? "");
}

function modelsOf(config: Config): SetModel[] {
  const embedders = (["embed.code", "embed.text"] as const).map((setting): SetModel => {
    const { driver, model, spec } = readEmbedderSpec(config[setting]);
    const look = driver.available;
    return { setting, spec, look: look && ((signal) => look(model, embedderSettings(config), signal)) };
  });
  const { driver, model, spec } = readLlmSpec(config["llm.model"]);
  const look = driver.available;
  const llm = {
    setting: "llm.model",
    spec,
    look: look && ((signal: AbortSignal) => look(model, llmSettingsOf(config), signal)),
  };
  return [...embedders, llm].filter((one) => one.spec !== "none");
}

async function problemWith({ look }: SetModel): Promise<{ problem: string | null; hint: string }> {
  if (look === undefined) return { problem: null, hint: "" };
  try {
    const { usable, detail, hint } = await look(AbortSignal.timeout(timeoutMs));
    return { problem: usable ? null : detail, hint };
  } catch (error) {
    return { problem: messageOf(error), hint: "Run `pm models test`." };
  }
}
