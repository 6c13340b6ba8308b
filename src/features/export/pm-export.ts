import { resolve } from "node:path";
import { doneLine } from "../../answers/document.ts";
import { PommelError } from "../../base/errors.ts";
import { maxResults } from "../../base/max-results.ts";
import type { Project } from "../../base/paths.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { NumberRange } from "../../terminal/options.ts";
import { createProgress } from "../../terminal/progress.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount } from "../../terminal/text.ts";
import { openDirectory, openFile, writeNew } from "../../terminal/write-file.ts";
import type { SessionSummary, SessionsRequest } from "../sessions/operation.ts";
import { exportTrajectory, listSessions, showSession } from "../sessions/operation.ts";
import type { exportFormats } from "./command.ts";
import {
  cleanDecision,
  collectDecisions,
  collectSession,
  type ExportIndex,
  fitToSize,
  makeCleaner,
  type SessionDocument,
} from "./document.ts";
import { indexAsHtml, renderSessionHtml } from "./html.ts";
import { indexAsMarkdown, renderSessionMarkdown } from "./markdown.ts";
import { exportMemory } from "./operation.ts";

type FormatName = (typeof exportFormats)[number];

/** How one session is written. */
interface SessionOptions {
  format?: FormatName;
  to?: string;
  full?: boolean;
  force?: boolean;
  turns?: NumberRange;
  /** Whether what commands and tools printed is written, too. */
  output?: boolean;
}

interface ExportOptions
  extends Omit<SessionsRequest, "limit">,
    Pick<SessionOptions, "format" | "to" | "full" | "force"> {
  session?: string[];
  all?: boolean;
}

interface Format {
  extension: string;
  session(
    document: SessionDocument,
    project: Project,
    clean: (text: string) => string,
  ): string | Promise<string>;
  index(index: ExportIndex): string;
}

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const toJsonIndex = (index: ExportIndex) => toJson({ format: "pommel-sessions", version: 1, ...index });
const formatOf: Record<FormatName, Format> = {
  markdown: { extension: "md", session: renderSessionMarkdown, index: indexAsMarkdown },
  html: { extension: "html", session: renderSessionHtml, index: indexAsHtml },
  json: { extension: "json", session: toJson, index: toJsonIndex },
  atif: {
    extension: "json",
    session: async ({ session }, project, clean) =>
      toJson(await call(exportTrajectory, { id: session.id, clean }, project)),
    index: toJsonIndex,
  },
};

/** `pm memory export`: one session to stdout or a file, several to a directory, everything as JSON Lines. */
export async function exportCommand(context: CommandContext, options: ExportOptions): Promise<void> {
  const { session: ids = [], since, until, branch, agent, to, all = false } = options;
  const isFiltered = [since, until, branch, agent].some((filter) => filter !== undefined);
  const isChosen = isFiltered || ids.length > 0 || options.format !== undefined;
  refuseTogether("--all", all && isChosen, "--session, --format or a filter");
  refuseTogether("--session", ids.length > 0 && isFiltered, "--since, --until, --branch or --agent");
  if (all) return exportAll(context, options);
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return exportOne(context, id, options);
  if (to === undefined) {
    throw new PommelError(
      "usage",
      "No directory given for the export of several sessions.",
      "Name the directory with --to, or name one session with --session.",
    );
  }
  return exportSeveral(context, resolve(context.cwd, to), options);
}

/** `pm share session`: one session to stdout or a file. */
export async function shareSessionCommand(
  context: CommandContext,
  id: string,
  options: SessionOptions,
): Promise<void> {
  const isPart = options.turns !== undefined || options.output === false;
  refuseTogether("--format atif", options.format === "atif" && isPart, "--turns or --no-output");
  return exportOne(context, id, options);
}

function refuseTogether(one: string, isBoth: boolean, other: string): void {
  if (isBoth) throw new PommelError("usage", `${one} cannot be combined with ${other}.`, "Omit one of them.");
}

async function exportOne(
  { cwd, output }: CommandContext,
  id: string,
  {
    format = output.json ? "json" : "markdown",
    to,
    full = false,
    turns,
    output: withOutput = true,
    force = false,
  }: SessionOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const clean = makeCleaner(project)();
  const document = await collectSession(project, id, { full, turns, output: withOutput, clean });
  const { session, extension } = formatOf[format];
  const isPage = format === "html" && !full;
  const text = isPage ? fitToSize(document, renderSessionHtml) : await session(document, project, clean);
  if (to === undefined) {
    const value = format === "json" ? document : format === "atif" ? JSON.parse(text) : { format, text };
    output.result(value, text.trimEnd());
    return;
  }
  const file = writeNew(resolve(cwd, to), makeFileName(document.session, extension), text, force);
  const wrote = `Wrote ${formatCount(document.turns.length, "turn")} to `;
  showAnswer(output, { to: file, format, sessions: 1, files: [file] }, () => [
    [doneLine(wrote, { text: file }, ".")],
  ]);
}

async function exportSeveral(
  { cwd, output }: CommandContext,
  to: string,
  { format = "markdown", full = false, force = false, session: ids, ...options }: ExportOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const { extension, ...as } = formatOf[format];
  const { since, until, branch, agent, agents } = options;
  const request = { since, until, branch, agent, agents };
  const sessions = ids ? await readNamedSessions(project, ids) : await listAllSessions(project, request);
  const decided = await collectDecisions(project, ids ? {} : { since, until, branch });
  if (sessions.length === 0 && decided.decisions.length === 0) {
    throw new PommelError(
      "not_found",
      "No session, decision or note matches.",
      "`pm session list` shows what there is.",
    );
  }
  const clean = makeCleaner(project);
  const directory = openDirectory(to, force);
  const progress = createProgress({ label: "Exporting", unit: "sessions" });
  try {
    const index: ExportIndex = { sessions: [], decisions: [], total: 0 };
    const names = new Set([`index.${extension}`]);
    for (const [i, { id }] of sessions.entries()) {
      progress.update(i, sessions.length);
      const ofSession = clean();
      const document = await collectSession(project, id, {
        full,
        output: true,
        clean: ofSession,
        decisions: decided.decisions,
      });
      const file = chooseFreeName(makeFileName(document.session, extension), names);
      directory.write(file, await as.session(document, project, ofSession));
      index.sessions.push({ session: document.session, file });
    }
    const chosen = new Set(index.sessions.map(({ session }) => session.id));
    const outside = clean();
    index.decisions = decided.decisions
      .filter(({ session_id }) => session_id === null || chosen.has(session_id))
      .map((decision) => cleanDecision(decision, outside));
    index.total = index.decisions.length + decided.total - decided.decisions.length;
    directory.write(`index.${extension}`, as.index(index));
    directory.finish();
    progress.finish();
    const wrote = sessions.length === 0 ? "decisions and notes" : formatCount(sessions.length, "session");
    showAnswer(output, { to, format, sessions: sessions.length, files: [...names] }, () => [
      [doneLine(`Wrote ${wrote} to `, { text: to }, `; begin with index.${extension}.`)],
    ]);
  } finally {
    progress.finish();
    directory.discard();
  }
}

async function readNamedSessions(project: Project, ids: readonly string[]): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (const id of ids) found.push((await call(showSession, { id }, project)).session);
  return [...new Map(found.map((session) => [session.id, session])).values()];
}

/** The latest first: an answer has at most `maxResults`, so the rest is asked for by time. */
async function listAllSessions(project: Project, request: SessionsRequest): Promise<SessionSummary[]> {
  const found = new Map<string, SessionSummary>();
  let { until } = request;
  for (;;) {
    const { sessions, total } = await call(listSessions, { ...request, until, limit: maxResults }, project);
    const before = found.size;
    for (const session of sessions) found.set(session.id, session);
    if (sessions.length >= total || found.size === before) return [...found.values()];
    until = sessions.at(-1)?.last_at ?? undefined;
  }
}

/** "2026-01-31-8ecde0fc.md". */
function makeFileName({ id, started_at, last_at }: SessionSummary, extension: string): string {
  const day = (started_at ?? last_at)?.slice(0, 10);
  const safe = shortenSessionId(id).replace(/[^\w-]+/g, "-");
  return `${[day, safe].filter((part) => part !== undefined).join("-")}.${extension}`;
}

function chooseFreeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = name.replace(/(?=\.\w+$)/, `-${n}`);
  taken.add(free.toLowerCase());
  return free;
}

/** The whole memory as JSON Lines. */
async function exportAll(
  { cwd, output }: CommandContext,
  { to, force = false }: { to?: string; force?: boolean },
): Promise<void> {
  if (to === undefined) {
    throw new PommelError(
      "usage",
      "No file given for the export of the whole memory.",
      "Name the file: --to memory.jsonl.",
    );
  }
  const project = await findProject(cwd);
  const path = resolve(cwd, to);
  const file = openFile(path, force);
  const progress = createProgress({ label: "Exporting", unit: "records" });
  let bytes = 0;
  try {
    const write = (text: string, done: number, total: number) => {
      file.write(text);
      bytes += Buffer.byteLength(text);
      progress.update(done, total);
    };
    const records = await call(exportMemory, { write }, project);
    file.finish();
    progress.finish();
    const wrote = `Wrote ${formatCount(records, "record")} (${formatBytes(bytes)}) to `;
    showAnswer(output, { to: path, records, bytes }, () => [[doneLine(wrote, { text: path }, ".")]]);
  } finally {
    progress.finish();
    file.discard();
  }
}
