import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { doneLine, line, table } from "../../answers/document.ts";
import { loadConfig } from "../../base/config/config.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import { ensureGlobalPatterns, locateGlobalPatterns } from "../../redact/patterns/patterns-file.ts";
import { createProjectReviewer, createProjectScrubber } from "../../redact/project-scrubber.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import { showQueue } from "../jobs/operation.ts";
import { findSecrets, reviewSecrets, scrub } from "./operation.ts";

interface ScrubOptions {
  /** true: what is stored. */
  check?: string | true;
  review?: boolean;
  init?: boolean;
  llm?: boolean;
}

/** `pm memory scrub` */
export async function scrubCommand(
  { cwd, output }: CommandContext,
  options: ScrubOptions,
): Promise<number | undefined> {
  if (options.init) return initPatterns(output);
  if (options.review) return reviewStored(await findProject(cwd), output);
  if (options.llm) return letModelRead(await findProject(cwd), output);
  if (options.check === undefined) return scrubAgain(await findProject(cwd), output);
  if (options.check === true) return checkStored(await findProject(cwd), output);
  return checkText(cwd, options.check, output);
}

function initPatterns(output: Output): undefined {
  const isThere = existsSync(locateGlobalPatterns());
  const file = ensureGlobalPatterns();
  showAnswer(output, { file, created: !isThere }, () => [
    [isThere ? line({ text: file }, " already exists.") : line("Created ", { text: file })],
  ]);
}

const makeScrubber = (project: Project | null): Scrubber =>
  createProjectScrubber(project, loadConfig(project).config);

/** Works anywhere; outside of a project by the user's own rules. */
async function checkText(cwd: string, file: string, output: Output): Promise<number> {
  const scrubber = makeScrubber(await findProjectIfAny(cwd));
  const content = file === "-" ? await text(process.stdin) : readFile(resolve(cwd, file));
  const lineStarts = [0];
  for (let at = content.indexOf("\n"); at !== -1; at = content.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const found = scrubber.find(content).map(({ rule, type, start, end }) => {
    const line = lineStarts.findLastIndex((at) => at <= start);
    return {
      rule,
      placeholder: `[REDACTED_${type}]`,
      line: line + 1,
      column: start - (lineStarts[line] ?? 0) + 1,
      length: end - start,
    };
  });
  showAnswer(output, { file, found }, () => [
    [
      found.length === 0
        ? doneLine("No secrets found.")
        : plainTable(
            found.map(({ rule, placeholder, line, column }) => [
              `${file}:${line}:${column}`,
              rule,
              placeholder,
            ]),
          ),
    ],
  ]);
  return found.length === 0 ? 0 : 1;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") {
      throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
    }
    throw new PommelError("unreadable", `Cannot read ${file}: ${getErrorMessage(error)}.`, "", {
      cause: error,
    });
  }
}

async function checkStored(project: Project, output: Output): Promise<number> {
  const scrubber = makeScrubber(project);
  const progress = createProgress({ label: "Checking", unit: "sessions" });
  const how = { onProgress: progress.update };
  const check = await call(findSecrets, { scrubber }, project, how).finally(progress.finish);
  showAnswer(output, check, () => {
    if (check.rules.length === 0) return [[doneLine("No secrets found in the memory.")]];
    return [
      [plainTable(check.rules.map(({ rule, type, places }) => [`${places}`, rule, `[REDACTED_${type}]`]))],
      [line(`In ${formatCount(check.sessions, "session")}. \`pm memory scrub\` removes them.`)],
    ];
  });
  return check.rules.length === 0 ? 0 : 1;
}

async function reviewStored(project: Project, output: Output): Promise<undefined> {
  const reviewer = createProjectReviewer(project, loadConfig(project).config);
  const progress = createProgress({ label: "Reading", unit: "sessions" });
  const how = { onProgress: progress.update };
  const review = await call(reviewSecrets, { reviewer }, project, how).finally(progress.finish);
  showAnswer(output, review, () => {
    const { values, total } = review;
    if (values.length === 0) return [[doneLine("No kept value looks like a secret.")]];
    const rows = values.map(({ session, turn, places, rule, masked, context }) => [
      session === null ? "a note" : formatTurnPlace(session, turn),
      formatCount(places, "place"),
      rule,
      `${toOneLine(context, 40)}${masked}`,
    ]);
    const more = total > rows.length ? [line(`... and ${total - rows.length} more`)] : [];
    return [[plainTable(rows), ...more], reviewHint.map((text) => line(text))];
  });
}

/** Columns without titles. */
const plainTable = (rows: readonly (readonly string[])[]) =>
  table(
    rows[0]!.map(() => ({ title: "" })),
    rows.map((row) => row.map((text) => ({ text }))),
  );

const reviewHint = [
  "These values were kept: they match a pattern, but do not look like secrets. If one of them is a secret:",
  "  pm memory forget --text TEXT  removes it from the memory",
  "  pm memory scrub --init        creates scrubbing-patterns.toml, where you add a pattern that keeps it out",
];

/** Only the daemon asks the model: it takes long, and what it has not read by then waits. */
async function letModelRead(project: Project, output: Output): Promise<undefined> {
  const { sessions = 0 } = await call(scrub, { llm: true }, project, { without: "fail" });
  showAnswer(output, { queued: sessions }, () => [
    [
      sessions === 0
        ? doneLine("The language model has read all sessions, or they wait for it already.")
        : line(
            `The language model will read ${formatCount(sessions, "session")}. \`pm daemon queue\` shows how far it is.`,
          ),
    ],
  ]);
}

/** Runs in the daemon if there is one, as it knows of other work in progress; otherwise in this process. */
async function scrubAgain(project: Project, output: Output): Promise<number | undefined> {
  // A mistake in the patterns is better shown here than found in the daemon's log.
  makeScrubber(project);
  const signal = makeInterruptionSignal();
  const progress = createProgress({ label: "Scrubbing", unit: "sessions" });
  try {
    const how = { without: "here", signal, onProgress: progress.update } as const;
    const { queued, sessions = 0, turns = 0, log_emptied } = await call(scrub, {}, project, how);
    if (queued) {
      await waitUntilScrubbed(project, progress.update, signal);
      progress.finish();
      showAnswer(output, { by: "daemon", sessions: null, turns: null }, () => [[doneLine("Scrubbed.")]]);
      return;
    }
    progress.finish();
    if (log_emptied === false)
      output.note("Another process is reading the memory; traces stay in the database log until it exits.");
    const done = `Scrubbed: changed ${formatCount(turns, "turn")} in ${formatCount(sessions, "session")}.`;
    showAnswer(output, { by: "pm", sessions, turns }, () => [[doneLine(done)]]);
    return;
  } catch (error) {
    if (!signal.aborted) throw error;
    progress.finish();
    output.note("Interrupted; `pm memory scrub` continues where it stopped.");
    return interruptedCode;
  } finally {
    progress.finish();
  }
}

/** @throws PommelError `internal` when the job failed */
async function waitUntilScrubbed(
  project: Project,
  update: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let wasSeen = false;
  for (;;) {
    const { sessions: queue } = await call(showQueue, {}, project, { without: "fail" });
    const failed = queue.dead.find(({ kind }) => kind === "scrub");
    if (failed) {
      throw new PommelError(
        "internal",
        `Scrubbing failed: ${failed.error ?? "unknown reason"}`,
        "`pm daemon queue retry` retries it.",
      );
    }
    const job = queue.running.find(({ kind }) => kind === "scrub");
    if (job) {
      wasSeen = true;
      update(job.done, job.total);
    } else if (wasSeen || queue.is_idle || queue.recent.some(({ kind }) => kind === "scrub")) return;
    await sleep(100, undefined, { signal });
  }
}
