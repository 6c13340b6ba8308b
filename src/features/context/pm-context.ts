import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { type ContextUse, contextUses } from "../../protocol/values.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Palette } from "../../terminal/palette.ts";
import { formatCount, formatLocalTime, shortenId, toOneLine, toPrintableLines } from "../../terminal/text.ts";
import type { ContextResponse, Injected, InjectedUse } from "./operation.ts";
import { giveContext, listInjections } from "./operation.ts";

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
      throw new PommelError("usage", "A prompt and --start exclude each other.", "Ask for one of them.");
    }
    // An id that no session has: nothing is known to it.
    const asked = { session_id: session ?? "preview", cwd, preview: true };
    const moment =
      preview === undefined
        ? ({ event: "session-start", source: "startup" } as const)
        : ({ event: "user-prompt", prompt: preview } as const);
    const answer = await call(giveContext, { ...asked, ...moment }, project);
    output.result(answer, () => renderPreview(answer, output.colors));
    return;
  }
  const { config } = loadConfig(project);
  const mode = config["context.mode"];
  const wanted = { session, limit: last ? 1 : limit };
  const { injections: injectedRecords, missed } = await call(listInjections, wanted, project);
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
  const when = `the last one at ${formatLocalTime(last.at)} (timed out after ${last.took_ms} ms of ${deadlineMs} ms)`;
  const hint = colors.dim(
    `  If this keeps happening: \`pm config set context.deadline_ms ${2 * deadlineMs}\``,
  );
  return [`${formatCount(missed.length, "answer")} came too late in the last 30 days, ${when}.\n${hint}`];
}

/** Injected context, for a person. */
export function renderInjected(injectedRecords: readonly Injected[], mode: string, colors: Palette): string {
  if (injectedRecords.length === 0) {
    return mode === "off"
      ? "Automatic context is off (context.mode)."
      : "No automatic context yet. Most prompts get none; `pm session context --start` shows what a new session gets.";
  }
  return injectedRecords
    .map(({ session_id, event, at, reason, tokens, took_ms, items }) => {
      const head = `${formatLocalTime(at)}  ${event}  session: ${shortenId(session_id)}`;
      const cost = `about ${formatCount(tokens, "token")}, ${took_ms} ms`;
      const lines = items.map(({ ref, why, score, about, use }) => {
        const what = about ?? colors.dim("(forgotten since)");
        const because = colors.dim(`${why}${score === null ? "" : `, ${score.toFixed(2)}`}`);
        const line = `  ${toOneLine(what, 100)}\n    ${because}  ${colors.dim(toOneLine(ref, 100))}`;
        return use === null ? line : `${line}\n    ${renderUse(use, colors)}`;
      });
      return [colors.bold(head), colors.dim(`  ${toOneLine(reason, 160)} | ${cost}`), ...lines].join("\n");
    })
    .join("\n\n");
}

function renderUse({ outcome, reason, turn }: InjectedUse, colors: Palette): string {
  const words = `${useNames[outcome]}: ${toOneLine(reason, 100)}${turn === null ? "" : `, turn ${turn}`}`;
  return outcome === "used" ? colors.ok(words) : colors.dim(words);
}

const useNames = { used: "used", not_used: "not used", unknown: "use unknown" } as const;

/** How many of the items were used. */
function renderUses(injectedRecords: readonly Injected[]): string[] {
  const uses = injectedRecords.flatMap(({ items }) => items.flatMap(({ use }) => use?.outcome ?? []));
  if (uses.length === 0) return [];
  const of = (outcome: ContextUse) => `${uses.filter((one) => one === outcome).length} ${useNames[outcome]}`;
  return [`Of ${formatCount(uses.length, "item")}: ${contextUses.map(of).join(", ")}.`];
}

function renderPreview({ text, reason, tokens, took_ms }: ContextResponse, colors: Palette): string {
  if (text === null) return `Nothing would be injected: ${reason}.`;
  const cost = `about ${formatCount(tokens, "token")}, ${took_ms} ms`;
  return [...toPrintableLines(text), colors.dim(`${toOneLine(reason, 160)} | ${cost}`)].join("\n");
}
