import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { agents, findAgentByName, listTranscriptPlaces } from "../../agents/registry.ts";
import { line, mark } from "../../answers/document.ts";
import { PommelError } from "../../base/errors.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { rememberGone } from "../../git/projects/gone-checkout.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import { listThings } from "../../protocol/reading/things.ts";
import type { ImportPreview } from "../../sessions/ingest/import-preview.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import { noteProblems } from "../../terminal/left-out.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import type { ImportFollowed } from "./import.ts";
import { importTranscripts } from "./import-sources.ts";
import { importMemory, keepUnread, previewImport } from "./operation.ts";
import { describeGone, wordFound, wordImported } from "./words.ts";

/** `pm import pommel <file>`: what `pm memory export --all` wrote. */
async function importPommelCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
  { dryRun = false }: { dryRun?: boolean },
): Promise<number> {
  if (path === undefined)
    throw new PommelError("usage", "No file given.", "Name what `pm memory export --all --to FILE` wrote.");
  const file = resolve(cwd, path);
  if (!existsSync(file)) throw new PommelError("not_found", `${file} does not exist.`, "Check the path.");
  const project = await findProject(cwd);
  const progress = createProgress({ label: "Importing", unit: "kB" });
  const how = { onProgress: progress.update };
  const taken = await call(importMemory, { file, dryRun }, project, how).finally(progress.finish);
  const { problems, records, imported, forgotten } = taken;
  noteProblems(problems, output);
  showAnswer(output, { agent: "pommel", file, dry_run: dryRun, ...taken }, () => {
    const sign = mark(problems.length > 0 ? "warn" : "ok");
    const read = formatCount(records, "record");
    if (dryRun) return [[line(sign, ` ${read} to import. Nothing was imported (--dry-run).`)]];
    const left = forgotten > 0 ? ` Skipped: ${forgotten} forgotten before.` : "";
    return [
      [line(sign, ` Read ${read}. Imported: ${listThings(imported).join(", ") || "nothing new"}.${left}`)],
    ];
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
    throw new PommelError(
      "usage",
      "No file given.",
      `Name a file of ${agent.title}, or a directory of them.`,
    );
  const project = await findProject(cwd);
  const places =
    path === undefined
      ? listTranscriptPlaces(agent, await listProjectRoots(project.root))
      : [resolve(cwd, path)];
  const from = since === undefined ? null : await parseWhen(since, "since");
  const preview = await call(previewImport, { agent, places, since: from, allProjects }, project);
  if (path !== undefined) refuseWhereNoneIs(preview, agent, resolve(cwd, path));
  const summary = toImportSummary(agent, preview, dryRun);
  const root = allProjects ? null : project.root;
  output.print(renderDocument(wordFound(preview, agent, root), { screen: output }));
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
  const { problem } = await call(keepUnread, {}, null);
  if (problem !== null) output.note(toOneLine(problem, 300));
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

function report(output: Output, summary: ReturnType<typeof toImportSummary> & ImportFollowed): void {
  for (const { path, error } of summary.failed) output.note(`${path}: ${toOneLine(error, 200)}`);
  if (summary.gone > 0) output.note(describeGone(summary.gone));
  showAnswer(output, summary, () => wordImported(summary));
}
