import { PommelError } from "../../project/errors.ts";
import type { RemoteCaller } from "./remote-caller.ts";
import type { RequestFailed } from "./request.ts";

export function ollamaAt(base: string): string {
  return `Ollama at ${base}`;
}

/** What went wrong between us and Ollama, for a person. */
export function ollamaFailure(
  failure: RequestFailed,
  base: string,
  model: string,
  caller: RemoteCaller,
): PommelError {
  const { kind, status, reply } = failure;
  if (status === 404 && /model/i.test(reply)) return modelMissing(base, model, caller, failure);
  const hint =
    kind === "unreachable"
      ? `Start it (\`ollama serve\`; get it from https://ollama.com), or set ${caller.ollamaUrl} to its address.`
      : kind === "timeout"
        ? "It may be busy, or the model too large for this machine; see `ollama ps`."
        : `Check ${caller.ollamaUrl}, and the server's log.`;
  return new PommelError(caller.code, `${ollamaAt(base)} ${failure.message}.`, hint, { cause: failure });
}

export function modelMissing(
  base: string,
  model: string,
  caller: RemoteCaller,
  cause?: unknown,
): PommelError {
  const orPm = caller.isPulledByPm ? ` or \`pm models pull ollama/${model}\`` : "";
  const hint = `Run \`ollama pull ${model}\`${orPm}.`;
  return new PommelError(caller.code, `${ollamaAt(base)} has no model ${model}.`, hint, { cause });
}
