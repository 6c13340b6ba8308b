import { findProject } from "../../../git/projects/find-project.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { PommelError } from "../../../project/errors.ts";
import type { ContextResponse, Injected, InjectedUse } from "../../../protocol/operations/context.ts";
import { type ContextUse, contextUses } from "../../../protocol/values.ts";
import { previewContext } from "../../../queries/context/in-process.ts";
import { injectedIn } from "../../../queries/context/injected.ts";
import { missedInjections } from "../../../store/memory/injections.ts";
import { withMemory } from "../../../store/memory/with-memory.ts";
import type { CommandContext } from "../../frame.ts";
import type { Palette } from "../../terminal/palette.ts";
import { block, counted, localTime, oneLine, shortId } from "../../terminal/text.ts";

interface ContextOptions {
  last?: boolean;
  session?: string;
  limit?: number;
  preview?: string;
  start?: boolean;
}

const usualLimit = 10;
const missedSinceMs = 30 * 24 * 3600 * 1000;

/** `pm context`: reads the memory itself, whether a daemon runs or not. */
export async function contextCommand(
  { cwd, output }: CommandContext,
  { last = false, session, limit, preview, start = false }: ContextOptions,
): Promise<void> {
  const project = await findProject(cwd);
  if (preview !== undefined || start) {
    if (preview !== undefined && start) {
      throw new PommelError("usage", "--preview and --start exclude each other.", "Ask for one of them.");
    }
    // An id that no session has: nothing is known to it.
    const asked = { session_id: session ?? "preview", cwd };
    const answer = await previewContext(project, {
      ...asked,
      ...(preview === undefined
        ? { event: "session-start", source: "startup" }
        : { event: "user-prompt", prompt: preview }),
    });
    output.result(answer, () => renderPreview(answer, output.colors));
    return;
  }
  const { config } = loadConfig(project);
  const mode = config["context.mode"];
  const { told: injectedRecords, missed } = await withMemory(project, (memory) => ({
    told: injectedIn(memory, { session, limit: last ? 1 : (limit ?? usualLimit) }),
    missed: missedInjections(memory, Date.now() - missedSinceMs).map(({ event, at, tookMs }) => ({
      event,
      at: new Date(at).toISOString(),
      took_ms: tookMs,
    })),
  }));
  output.result({ mode, told: injectedRecords, missed }, () =>
    [
      renderInjected(injectedRecords, mode, output.colors),
      ...renderUses(injectedRecords),
      ...renderMissed(missed, config["context.deadline_ms"], output.colors),
    ].join("\n\n"),
  );
}

/** Answers that came too late for the agent, which then went on without them. */
export function renderMissed(
  missed: readonly { at: string; took_ms: number }[],
  deadlineMs: number,
  colors: Palette,
): string[] {
  const last = missed.at(-1);
  if (last === undefined) return [];
  const when = `the last one at ${localTime(last.at)} (timed out after ${last.took_ms} ms of ${deadlineMs} ms)`;
  const hint = colors.dim(
    `  If this keeps happening: \`pm config set context.deadline_ms ${2 * deadlineMs}\``,
  );
  return [`${counted(missed.length, "answer")} came too late in the last 30 days, ${when}.\n${hint}`];
}

/** Injected context, for a person. */
export function renderInjected(injectedRecords: readonly Injected[], mode: string, colors: Palette): string {
  if (injectedRecords.length === 0) {
    return mode === "off"
      ? "Automatic context is off (context.mode)."
      : "No automatic context yet. Most prompts get none; `pm context --start` shows what a new session gets.";
  }
  return injectedRecords
    .map(({ session_id, event, at, reason, tokens, took_ms, items }) => {
      const head = `${localTime(at)}  ${event}  session: ${shortId(session_id)}`;
      const cost = `about ${counted(tokens, "token")}, ${took_ms} ms`;
      const lines = items.map(({ ref, why, score, about, use }) => {
        const what = about ?? colors.dim("(forgotten since)");
        const because = colors.dim(`${why}${score === null ? "" : `, ${score.toFixed(2)}`}`);
        const line = `  ${oneLine(what, 100)}\n    ${because}  ${colors.dim(oneLine(ref, 100))}`;
        return use === null ? line : `${line}\n    ${renderUse(use, colors)}`;
      });
      return [colors.bold(head), colors.dim(`  ${oneLine(reason, 160)} | ${cost}`), ...lines].join("\n");
    })
    .join("\n\n");
}

function renderUse({ outcome, reason, turn }: InjectedUse, colors: Palette): string {
  const words = `${useNames[outcome]}: ${oneLine(reason, 100)}${turn === null ? "" : `, turn ${turn}`}`;
  return outcome === "used" ? colors.ok(words) : colors.dim(words);
}

const useNames = { used: "used", not_used: "not used", unknown: "use unknown" } as const;

/** How many of the items were used. */
function renderUses(injectedRecords: readonly Injected[]): string[] {
  const uses = injectedRecords.flatMap(({ items }) => items.flatMap(({ use }) => use?.outcome ?? []));
  if (uses.length === 0) return [];
  const of = (outcome: ContextUse) => `${uses.filter((one) => one === outcome).length} ${useNames[outcome]}`;
  return [`Of ${counted(uses.length, "item")}: ${contextUses.map(of).join(", ")}.`];
}

function renderPreview({ text, reason, tokens, took_ms }: ContextResponse, colors: Palette): string {
  if (text === null) return `Nothing would be injected: ${reason}.`;
  const cost = `about ${counted(tokens, "token")}, ${took_ms} ms`;
  return [...block(text), colors.dim(`${oneLine(reason, 160)} | ${cost}`)].join("\n");
}
