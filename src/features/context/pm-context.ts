import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { giveContext, listInjections } from "./operation.ts";
import { wordInjected, wordMissed, wordPreview } from "./words.ts";

interface ContextOptions {
  last?: boolean;
  session?: string;
  limit?: number;
  start?: boolean;
}

/** `pm session context` */
export async function contextCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { last = false, session, limit, start = false }: ContextOptions,
): Promise<void> {
  const preview = words.length > 0 ? words.join(" ") : undefined;
  const project = await findProject(cwd);
  if (preview !== undefined || start) {
    if (preview !== undefined && start) {
      throw new PommelError("usage", "Use either a prompt or --start.", "Give one of them.");
    }
    // An id that no session has: nothing is known to it.
    const asked = { session_id: session ?? "preview", cwd, preview: true };
    const moment =
      preview === undefined
        ? ({ event: "session-start", source: "startup" } as const)
        : ({ event: "user-prompt", prompt: preview } as const);
    const answer = await call(giveContext, { ...asked, ...moment }, project);
    showAnswer(output, answer, () => wordPreview(answer));
    return;
  }
  const { config } = loadConfig(project);
  const mode = config["context.mode"];
  const wanted = { session, limit: last ? 1 : limit };
  const { injections: injectedRecords, missed } = await call(listInjections, wanted, project);
  const deadlineMs = config["context.deadline_ms"];
  showAnswer(output, { mode, told: injectedRecords, missed }, () => [
    ...wordInjected(injectedRecords, mode),
    ...wordMissed(missed, deadlineMs),
  ]);
}
