import { call } from "../../../client/call.ts";
import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import { projectAt } from "../../../project/paths.ts";
import type { Authored, CiReport } from "../../../queries/attribution/ci.ts";
import type { CommandContext } from "../../frame.ts";
import { authorBar } from "../../terminal/chart.ts";
import { aligned, type Screen, tick } from "../../terminal/output.ts";
import { table } from "../../terminal/table.ts";
import { counted, heading, oneLine } from "../../terminal/text.ts";
import { inColor, percent } from "../blame/author-text.ts";
import { escaped } from "../export/markdown.ts";

interface CiOptions {
  mergedAs?: string;
  dryRun?: boolean;
  markdown?: boolean;
}

/** Files that are named before the rest is counted. */
const filesShown = 10;

/** `pm attribution ci [range]` */
export async function attributionCiCommand(
  { cwd, output }: CommandContext,
  range: string | undefined,
  { mergedAs, dryRun = false, markdown = false }: CiOptions,
): Promise<void> {
  if (markdown && output.json)
    throw new PommelError("usage", "--markdown cannot be combined with --json.", "Omit one of them.");
  const project = (await findProjectIfAny(cwd)) ?? projectAt(cwd);
  const asked = { range: range ?? null, mergedAs: mergedAs ?? null, dryRun };
  const report = await call("attributionForCi", asked, project);
  for (const note of report.notes) output.note(note);
  output.result({ dry_run: dryRun, ...report }, () =>
    markdown ? asMarkdown(report) : asTables(report, output, dryRun),
  );
}

const kinds = ["agent", "human", "unknown"] as const;
const names = { agent: "agents", human: "people", unknown: "unknown" } as const;

/** "claude (opus), codex" */
function agentsText({ agents }: CiReport): string {
  return agents
    .map(({ agent, models, lines }) => {
      const model = models.length === 0 ? "" : ` (${models.join(", ")})`;
      const count = agents.length > 1 ? ` ${lines.toLocaleString("en")}` : "";
      return `${agent ?? "an agent"}${model}${count}`;
    })
    .join(", ");
}

/** How much of it could be found out. */
function foundText({ commits }: CiReport): string {
  const known = commits.memory + commits.shared + commits.note;
  const all = known + commits.none;
  return `${known} of ${counted(all, "commit")} with an attribution`;
}

function asTables(report: CiReport, screen: Screen, dryRun: boolean): string {
  const { total, files } = report;
  const { colors } = screen;
  const parts: string[] = [];
  if (total.lines === 0) parts.push("No added lines.");
  else {
    const rows = kinds.map((author) => [
      inColor(names[author], { author }, colors),
      percent(total[author], total.lines),
      total[author].toLocaleString("en"),
      author === "agent" ? oneLine(agentsText(report), 200) : "",
    ]);
    parts.push(
      [`${colors.bold(counted(total.lines, "added line"))}  ${foundText(report)}`, aligned(rows)].join("\n"),
    );
    parts.push([heading("Files", colors), fileTable(files, screen)].join("\n"));
  }
  const carried = carriedText(report, dryRun);
  if (carried !== null) parts.push(`${tick("ok", colors)} ${carried}`);
  return parts.join("\n\n");
}

const largest = (files: CiReport["files"]) =>
  [...files].sort((a, b) => b.lines - a.lines).slice(0, filesShown);

function fileTable(files: CiReport["files"], screen: Screen): string {
  const shown = largest(files);
  const rows = shown.map((file) => [
    oneLine(file.path, 200),
    ...kinds.map((author) => percent(file[author], file.lines)),
    file.lines.toLocaleString("en"),
    screen.columns === undefined ? "" : authorBar({ ...file, before_agents: 0 }, 20, screen.colors),
  ]);
  const columns = [
    { title: "file", wraps: true },
    ...kinds.map((author) => ({ title: names[author], isNumber: true })),
    { title: "lines", isNumber: true },
    { title: "", optional: 1 },
  ];
  const more = files.length > shown.length ? [screen.colors.dim(`${shown.length} of ${files.length}`)] : [];
  return [table(columns, rows, screen), ...more].join("\n");
}

function carriedText({ carried }: CiReport, dryRun: boolean): string | null {
  if (carried === null || carried.onto.length === 0) return null;
  const { ref, written, updated, unchanged, kept, unknown } = carried;
  const parts = [
    `${counted(written.length + updated.length, "note")} ${dryRun ? "to write" : "written"}`,
    unchanged > 0 && `${unchanged} already there`,
    kept.length > 0 && `${kept.length} of another tool kept`,
    unknown > 0 && `${counted(unknown, "commit")} without a line of a known author`,
  ].filter((part) => part !== false);
  return `${ref}: ${parts.join(", ")}.`;
}

function asMarkdown(report: CiReport): string {
  const { total, files } = report;
  if (total.lines === 0) return "No added lines.";
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const authored = (sum: Authored) => kinds.map((author) => percent(sum[author], sum.lines));
  const who = agentsText(report);
  const shown = largest(files);
  return [
    `**Agents wrote ${percent(total.agent, total.lines)}** of ${counted(total.lines, "added line")}${who === "" ? "" : `: ${escaped(who)}`}.`,
    [
      row(["", ...kinds.map((author) => names[author]), "lines"]),
      "|---|--:|--:|--:|--:|",
      row(["all", ...authored(total), total.lines.toLocaleString("en")]),
      ...shown.map((file) => row([escaped(file.path), ...authored(file), file.lines.toLocaleString("en")])),
    ].join("\n"),
    ...(files.length > shown.length ? [`The ${shown.length} largest of ${files.length} files.`] : []),
    `${foundText(report)}. A line is unknown where no attribution was shared.`,
  ].join("\n\n");
}
