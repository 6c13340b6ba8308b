import type { ToolResult, ToolUse } from "../../agents/agent.ts";
import { absolute } from "../../agents/reading/tool-calls.ts";
import type { CommandToStore } from "../../store/memory/commands.ts";
import { beginningOf } from "../../text/text-size.ts";
import { errorLines, onlyShows, reportsFailure } from "../chunks/units/error-lines.ts";
import { actionOf, type Turn } from "../turn-content.ts";
import { signaturesOf } from "./error-signature.ts";
import { type Step, stepsOf } from "./steps.ts";

/** Characters that are kept of an error, and of what the agent says a command is for. */
const longest = { error: 1200, purpose: 160, line: 600 } as const;

/** The user declined it, the client refused it, or it went on in the background. */
const neverEnded =
  /^\s*(?:The user doesn't want to|\[Request interrupted|<tool_use_error>|InputValidationError|Command running in background|Process running with session ID|Permission to use|Claude requested permissions)/;
const exitStatus = /^(?:Error: )?(?:Exit code|Exit Code:|Process exited with code) (-?\d+)/m;
/** What `echo "exit: $?"` prints. */
const printedStatus = /(?:exit|status|code|rc)\b[^\n\d]{0,12}(\d{1,3})\s*$/im;

/**
 * The commands that a turn ran, with how they went. What only looks is left out.
 * @param relativize from a path as the agent wrote it to the one that is stored (`relative-paths.ts`)
 */
export function commandsOf(turn: Turn, relativize: (path: string) => string): CommandToStore[] {
  const results = new Map<string, { result: ToolResult; at: number | null }>();
  for (const { at, entries } of turn.lines) {
    for (const entry of entries)
      if (entry.kind === "tool_result" && !results.has(entry.id))
        results.set(entry.id, { result: entry, at });
  }
  return turn.lines.flatMap(({ seq, at, entries, cwd = null }) =>
    entries.flatMap((entry) => {
      if (entry.kind !== "tool_use" || actionOf(entry) !== "command") return [];
      const answer = results.get(entry.id);
      if (answer === undefined || neverEnded.test(answer.result.text)) return [];
      const tookMs = at === null || answer.at === null ? null : Math.max(answer.at - at, 0);
      return runsOf(entry, answer.result).map(({ step, ...run }, i) => ({
        ...{ seq, step: i, at, tookMs, line: beginningOf(step.text, longest.line) },
        ...{ name: step.name, form: step.form, purpose: purposeOf(entry) },
        directory: directoryOf(step.directory, cwd, relativize),
        ...run,
      }));
    }),
  );
}

type Run = Pick<CommandToStore, "outcome" | "status" | "error" | "signatures"> & { step: Step };

function runsOf({ input }: ToolUse, { text, isError }: ToolResult): Run[] {
  const line = String(input.command);
  const steps = stepsOf(line);
  if (steps.length === 0) return [];
  const printed = line.includes("$?") ? printedStatus.exec(text)?.[1] : undefined;
  const status = Number(exitStatus.exec(text)?.[1] ?? printed ?? (isError ? Number.NaN : 0));
  const reports = !onlyShows(line) && reportsFailure(text);
  const printsFailure = printed !== undefined && status !== 0;
  const failed = failedStep(steps, {
    isError: isError || printsFailure,
    reports: printsFailure || reports,
  });
  return steps.map((step): Run => {
    if (step === failed) {
      const body = text.replace(exitStatus, "").trim();
      const error = errorLines(body, longest.error) || beginningOf(body.slice(-2000), longest.error);
      const known = Number.isNaN(status) || status === 0 ? null : status;
      return { step, outcome: "failed", status: known, error, signatures: signaturesOf(error) };
    }
    const isKnown = failed === null && !isError;
    return {
      step,
      outcome: isKnown ? "worked" : "unknown",
      status: isKnown && step.decides ? 0 : null,
      error: null,
      signatures: [],
    };
  });
}

/** The step that failed, the last that can have; null: none did, or it cannot be told which. */
function failedStep(
  steps: readonly Step[],
  { isError, reports }: { isError: boolean; reports: boolean },
): Step | null {
  const decides = steps.findLast((step) => step.decides);
  if (isError) return decides ?? (reports ? steps.at(-1)! : null);
  return reports ? (steps.findLast((step) => !step.decides) ?? null) : null;
}

const purposeOf = ({ input: { description } }: ToolUse) =>
  typeof description === "string"
    ? beginningOf(description.replace(/\s+/g, " ").trim(), longest.purpose)
    : "";

/** Relative to the project's root, "" for the root itself; absolute outside of it. */
function directoryOf(path: string, cwd: string | null, relativize: (path: string) => string): string {
  const within = absolute(path === "" ? "." : path, cwd);
  return relativize(`${within}/_`).replace(/\/?_$/, "");
}
