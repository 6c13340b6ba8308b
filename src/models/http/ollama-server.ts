import { PommelError } from "../../project/errors.ts";
import type { Asker } from "./asker.ts";
import type { RequestFailed } from "./request.ts";

export function ollamaAt(base: string): string {
  return `Ollama at ${base}`;
}

/** What went wrong between us and Ollama, for a person. */
export function ollamaFailure(
  failure: RequestFailed,
  base: string,
  model: string,
  asker: Asker,
): PommelError {
  const { kind, status, said } = failure;
  if (status === 404 && /model/i.test(said)) return modelMissing(base, model, asker, failure);
  const hint =
    kind === "unreachable"
      ? `Start it (\`ollama serve\`; get it from https://ollama.com), or set ${asker.ollamaUrl} to its address.`
      : kind === "timeout"
        ? "It may be busy, or the model too large for this machine; see `ollama ps`."
        : `Check ${asker.ollamaUrl}, and the server's log.`;
  return new PommelError(asker.code, `${ollamaAt(base)} ${failure.message}.`, hint, { cause: failure });
}

export function modelMissing(base: string, model: string, asker: Asker, cause?: unknown): PommelError {
  const orPm = asker.isPulledByPm ? ` or \`pm models pull ollama/${model}\`` : "";
  const hint = `Run \`ollama pull ${model}\`${orPm}.`;
  return new PommelError(asker.code, `${ollamaAt(base)} has no model ${model}.`, hint, { cause });
}
