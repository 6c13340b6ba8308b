import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { agents, findAgentByName, listTranscriptPlaces } from "../../agents/registry.ts";
import { PommelError } from "../../base/errors.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { rememberGone } from "../../git/projects/gone-checkout.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { ImportPreview } from "../../sessions/ingest/import-preview.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import { alignColumns, formatBytes, formatDuration, formatMark, type Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { formatCount, formatLocalTime, toOneLine } from "../../terminal/text.ts";
import { importMemory } from "../memory-file/operation.ts";
import type { ImportFollowed } from "./import.ts";
import { describeGone, importTranscripts, keepPastSessions } from "./import-sources.ts";
import { previewImport } from "./operation.ts";

/** Problems that are named before the rest is counted. */
const problemsShown = 20;

/** `pm import pommel <file>`: what `pm memory export --all` wrote. */
async function importPommelCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  if (path === undefined)
    throw new PommelError("usage", "Which file?", "Name what `pm memory export --all --to FILE` wrote.");
  const file = resolve(cwd, path);
  if (!existsSync(file)) throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
  const project = await findProject(cwd);
  const progress = createProgress({ label: "Importing", unit: "kB" });
  const how = { onProgress: progress.update };
  const taken = await call(importMemory, { file, dryRun }, project, how).finally(progress.finish);
  const { problems, records, imported, forgotten } = taken;
  for (const { line, reason } of problems.slice(0, problemsShown)) output.note(`line ${line}: ${reason}`);
  if (problems.length > problemsShown)
    output.note(`and ${formatCount(problems.length - problemsShown, "more line")}`);
  output.result({ agent: "pommel", file, dry_run: dryRun, ...taken }, () => {
    const mark = formatMark(problems.length > 0 ? "warn" : "ok", output.colors);
    if (dryRun)
      return `${mark} ${formatCount(records, "record")} to import. Nothing was imported (--dry-run).`;
    const { sessions, turns, annotations, checkpoints, attributions, events } = imported;
    const parts = [
      [sessions, "session"],
      [turns, "turn"],
      [annotations, "note"],
      [checkpoints, "checkpoint"],
      [events, "event"],
    ] as const;
    const news = [
      ...parts.flatMap(([n, unit]) => (n === 0 ? [] : [formatCount(n, unit)])),
      ...(attributions === 0 ? [] : [`who wrote the lines of ${formatCount(attributions, "commit")}`]),
    ];
    const left = forgotten > 0 ? ` Skipped: ${forgotten} forgotten before.` : "";
    const what = news.length === 0 ? "nothing new" : news.join(", ");
    return `${mark} Read ${formatCount(records, "record")}. Imported: ${what}.${left}`;
  });
  return problems.length > 0 ? 1 : 0;
}

interface ImportOptions {
  since?: string;
  allProjects?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm import <agent> [path]`; what other tools remembered goes its own way. */
export async function importCommand(
  context: CommandContext,
  name: string,
  path: string | undefined,
  options: ImportOptions,
): Promise<number | undefined> {
  if (name === "aline") {
    const { importAlineCommand } = await import("./import-sources.ts");
    return importAlineCommand(context, path, options);
  }
  if (name === "pommel") return importPommelCommand(context, path, options);
  const { cwd, output } = context;
  const { since, dryRun = false, yes = false } = options;
  const agent = requireAgent(name);
  // What has no place of its own does not say where it ran, either: the path is the user's choice.
  const isAnywhere = agent.listRoots().length === 0 && agent.listRepositoryPlaces === undefined;
  const allProjects = isAnywhere || (options.allProjects ?? false);
  if (isAnywhere && path === undefined)
    throw new PommelError("usage", "Which file?", `Name a file of ${agent.title}, or a directory of them.`);
  const project = await findProject(cwd);
  const places =
    path === undefined
      ? listTranscriptPlaces(agent, await listProjectRoots(project.root))
      : [resolve(cwd, path)];
  const from = since === undefined ? null : await parseWhen(since, "since");
  const preview = await call(previewImport, { agent, places, since: from, allProjects }, project);
  if (path !== undefined) refuseWhereNoneIs(preview, agent, resolve(cwd, path));
  const summary = toImportSummary(agent, preview, dryRun);
  for (const line of describe(preview, agent, allProjects ? null : project.root)) output.print(line);
  for (const { error } of preview.refused) output.note(toOneLine(error, 300));
  if (preview.files.length === 0 || dryRun) {
    const nothing = preview.files.length === 0 ? "" : "\nNothing was imported (--dry-run).";
    output.result(summary, nothing);
    return preview.refused.length > 0 ? 1 : undefined;
  }
  if (!yes && canAsk(output) && !(await confirm("\nImport them?", true))) {
    output.print("Nothing was imported.");
    return 1;
  }
  // An agent that is started meanwhile may delete what is old.
  await keepPastSessions(output);
  for (const directory of preview.gone) rememberGone(project, directory);
  const followed = await importTranscripts(project, agent, preview.files);
  if (followed === null) {
    output.note("The import continues in the daemon; `pm daemon queue` shows its progress.");
    if (output.json) output.result({ ...summary, interrupted: true }, "");
    return interruptedCode;
  }
  report(output, { ...summary, ...followed });
  return followed.failed.length + preview.refused.length > 0 ? 1 : 0;
}

function requireAgent(name: string): Agent {
  const agent = findAgentByName(name);
  if (agent) return agent;
  const known = [...agents.map((one) => one.name), "aline", "pommel"].join(", ");
  throw new PommelError("usage", `Cannot import sessions of ${name}.`, `Choose from: ${known}.`);
}

/** An explicit path without transcripts is an error. */
function refuseWhereNoneIs(preview: ImportPreview, { title }: Agent, path: string): void {
  const { files, elsewhere, imported, older, forgotten, refused } = preview;
  if (files.length + imported.bytes + older + forgotten + refused.length > 0) return;
  if (!existsSync(path)) throw new PommelError("not_found", `${path} does not exist.`, "Check the path.");
  if (elsewhere.bytes === 0) {
    throw new PommelError(
      "not_found",
      `No ${title} transcripts in ${path}.`,
      "Name a directory of transcripts, or one transcript.",
    );
  }
  throw new PommelError(
    "not_found",
    `None of the ${formatCount(elsewhere.sessions, "session")} in ${path} ran in this project.`,
    "--all-projects also imports sessions of other projects.",
  );
}

const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The JSON of `pm import`, but for what became of it. */
function toImportSummary({ name }: Agent, preview: ImportPreview, dryRun: boolean) {
  const { sessions, subagents, bytes, from, to, estimatedMs, imported, elsewhere, older, forgotten } =
    preview;
  return {
    agent: name,
    sessions,
    subagents,
    bytes,
    from: toIso(from),
    to: toIso(to),
    estimated_seconds: Math.ceil(estimatedMs / 1000),
    already: imported,
    elsewhere,
    older,
    forgotten,
    dry_run: dryRun,
    interrupted: false,
    chunks: 0,
    gone: 0,
    refused: preview.refused,
    failed: [] as ImportFollowed["failed"],
  };
}

/** @param root null: of all projects */
function describe(preview: ImportPreview, { title }: Agent, root: string | null): string[] {
  const { sessions, subagents, bytes, from, to, estimatedMs, imported, elsewhere, older, forgotten } =
    preview;
  const lines: string[] = [];
  if (preview.files.length === 0) {
    lines.push(`No new ${title} sessions to import${root === null ? "" : ` for ${root}`}.`);
  } else {
    const days = [from, to].map((at) => (at === null ? "?" : formatLocalTime(toIso(at)!).slice(0, 10)));
    const rows = [
      [
        "  Sessions:",
        `${sessions.toLocaleString("en")}${subagents > 0 ? `, and ${subagents.toLocaleString("en")} of subagents` : ""}`,
      ],
      ["  Size:", formatBytes(bytes)],
      ["  From:", days[0] === days[1] ? days[0]! : `${days[0]} to ${days[1]}`],
      ["  Estimated time:", estimatedMs < 1000 ? "a second" : `about ${formatDuration(estimatedMs)}`],
    ];
    lines.push(
      `Sessions with ${title} ${root === null ? "from everywhere" : `in ${root}`}`,
      alignColumns(rows),
    );
  }
  const left = [
    imported.sessions > 0 && `${formatCount(imported.sessions, "session")} already imported`,
    older > 0 && `${formatCount(older, "session")} older`,
    forgotten > 0 && `${formatCount(forgotten, "session")} forgotten before`,
    elsewhere.sessions > 0 &&
      `${formatCount(elsewhere.sessions, "session")} of other projects (--all-projects)`,
  ].filter((part) => part !== false);
  if (left.length > 0) lines.push(`Skipped: ${left.join(", ")}.`);
  return lines;
}

function report(output: Output, summary: ReturnType<typeof toImportSummary> & ImportFollowed): void {
  const { failed, sessions, chunks, took_ms } = summary;
  for (const { path, error } of failed) output.note(`${path}: ${toOneLine(error, 200)}`);
  if (summary.gone > 0) output.note(describeGone(summary.gone));
  output.result(summary, () => {
    const mark = formatMark(failed.length > 0 ? "warn" : "ok", output.colors);
    const took = `Imported ${formatCount(sessions, "session")}, ${formatCount(chunks, "chunk")}, ${formatDuration(took_ms)}.`;
    const left =
      failed.length > 0
        ? `\n${formatCount(failed.length, "transcript")} could not be read: \`pm daemon queue retry\` retries.`
        : '\n  Search them:  pm search sessions "how did we ..."';
    return `${mark} ${took}${left}`;
  });
}
