import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { exitCode } from "../../base/errors.ts";
import { placeInProject } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { FileAround, TouchedCode } from "../../protocol/graph.ts";
import { howSure, nameInFull } from "../../protocol/reading/evidence.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { fileUrl } from "../../terminal/links.ts";
import type { Screen } from "../../terminal/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, fitted, hanging, heading, oneLine, printable, shortId, when } from "../../terminal/text.ts";
import { locate, parsePlace } from "../blame/file-place.ts";
import { decisionBlock } from "../notes/pm-notes.ts";
import { listPackages } from "../packages/operation.ts";
import type { RelatedSession } from "../related/operation.ts";
import { findRelated, type relatedRequest } from "../related/operation.ts";
import { pathsFrom } from "../related/related.ts";
import type { ChunkAnswer, ChunkOutline } from "../search/operation.ts";
import { showChunk } from "../search/operation.ts";
import { renderSnippet, wordsOf } from "../search/render-found.ts";
import type { ImpactAnswer } from "./operation.ts";
import { findImpact, type impactRequest } from "./operation.ts";

/** `pm code chunk`. */
export async function chunkCommand({ cwd, output }: CommandContext, place: string): Promise<void> {
  const project = await findProject(cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const isId = named.lines === null && /^[0-9a-f]{16}$/.test(place) && !existsSync(resolve(cwd, place));
  // The operation takes paths from the project's root.
  const id = isId ? place : `${locate(project, cwd, named.file)}${place.slice(named.file.length)}`;
  const found = await call(showChunk, { id }, project);
  output.result(found, () => renderChunk(found, output, (file) => fileUrl(join(project.root, file))));
}

/** A chunk for a person: where it is, its code, and the places of what is around and in it. */
export function renderChunk(answer: ChunkAnswer, screen: Screen, urlOf: (file: string) => string): string {
  const { file, language, chunk, parents, children, freshness } = answer;
  const { colors } = screen;
  const line = (one: ChunkOutline) => {
    const place = colors.place(`${printable(file)}:${one.start_line}-${one.end_line}`);
    return `${colors.link(place, urlOf(file))}  ${printable([one.kind || one.level, one.name].join(" ").trim())}`;
  };
  const stale = freshness === "drifted" ? `  ${colors.warn("(changed since it was indexed)")}` : "";
  const snippet = {
    ...{ kind: "code" as const, content: chunk.content },
    ...{ startLine: chunk.start_line, language },
  };
  const code = renderSnippet(snippet, { screen, full: true, words: wordsOf(""), indent: 0 });
  const list = (title: string, chunks: readonly ChunkOutline[]) =>
    chunks.length === 0 ? [] : [[heading(title, colors), ...chunks.map(line)].join("\n")];
  return [
    `${line(chunk)}${stale}`,
    code.join("\n"),
    ...list("Lies in", parents),
    ...list("Holds", children),
  ].join("\n\n");
}

const columns: Column[] = [
  { title: "package", wraps: true },
  { title: "directory", wraps: true },
  { title: "kind" },
  { title: "files", isNumber: true },
];

/** `pm code packages`. */
export async function packagesCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await findProject(cwd);
  const found = await call(listPackages, { near: placeInProject(project, cwd) }, project);
  output.result(found, () => {
    if (found.packages.length === 0) {
      return "No packages: no manifest of npm, Cargo, Go, Maven, Gradle or Python is indexed here.";
    }
    const rows = found.packages.map(({ name, dir, kind, files }) => [
      `${output.colors.place(printable(name))}${name === found.current ? " *" : ""}`,
      printable(dir),
      kind,
      files.toLocaleString("en"),
    ]);
    return table(columns, rows, output);
  });
}

/** Files of a session that are named. */
const filesShown = 4;

/** `pm code related` */
export async function relatedCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { files: named = [], ...options }: Shaped<typeof relatedRequest> & { files?: string[] },
): Promise<number> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const file = named.length > 0 ? pathsFrom(project, cwd, named) : undefined;
  const found = await call(findRelated, { ...options, file, q: query }, project);
  const isEmpty = found.sessions.length + found.decisions.length === 0;
  output.result({ query, ...found }, () => {
    if (isEmpty && query !== "" && file === undefined)
      return `Nothing found about "${oneLine(query)}".\nSessions that touched a file: pm code related --files FILE.`;
    if (found.looked_for === 0 && query === "") {
      return "No uncommitted changes. Name files: pm code related --files src/db.ts";
    }
    const decided = found.decisions.map((decision) => decisionBlock(decision, output));
    return [
      renderRelated(found.sessions, found.total, output),
      ...(decided.length === 0 ? [] : [heading("Decisions", output.colors), ...decided]),
      ...(found.code.length === 0 ? [] : [renderAround(found.code, output)]),
    ].join("\n\n");
  });
  return isEmpty && query !== "" ? exitCode.notFound : exitCode.ok;
}

/** Files that call or use the code of the asked ones, or are used by it. */
export function renderAround(code: readonly FileAround[], screen: Screen): string {
  const { colors } = screen;
  const lines = code.flatMap(({ file, used_by, uses }) => {
    const ways = [
      used_by.length > 0 && `used by ${used_by.map(printable).join(", ")}`,
      uses.length > 0 && `uses ${uses.map(printable).join(", ")}`,
    ];
    const said = ways.filter((way) => way !== false).join("; ");
    return hanging(`${colors.place(printable(file))}  ${colors.dim(said)}`, screen);
  });
  return [heading("Code around them", colors), ...lines].join("\n");
}

/** Sessions for a person, best first, each with the turns that touched most. */
export function renderRelated(sessions: readonly RelatedSession[], total: number, screen: Screen): string {
  if (sessions.length === 0) return "No recorded session touched these files.";
  const { colors, columns } = screen;
  const width = (columns ?? 0) - 3;
  const blocks = sessions.map(({ session_id, session_title, branch, last_at, score, files, turns }) => {
    const about = [
      colors.id(shortId(session_id)),
      when(last_at, screen),
      oneLine(branch ?? ""),
      colors.dim(score.toFixed(2)),
    ];
    const named = files.slice(0, filesShown).map(({ path, how }) => `${oneLine(path)} (${how})`);
    const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
    return [
      ...hanging(
        `${about.filter((part) => part !== "").join("  ")}  ${colors.bold(oneLine(session_title ?? "(no title)"))}`,
        screen,
      ),
      ...hanging(`   ${named.join(", ")}${more}`, screen).map(colors.dim),
      ...turns.map(
        ({ turn, prompt }) =>
          `   turn ${turn}: ${fitted(prompt || "(before the first prompt)", width - 10, screen)}`,
      ),
    ].join("\n");
  });
  const shown = sessions.length < total ? [colors.dim(`${sessions.length} of ${total} sessions`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

/** Definitions that are asked about and named. */
const targetsShown = 5;

/** `pm code impact`. */
export async function impactCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Shaped<typeof impactRequest>,
): Promise<void> {
  const project = await findProject(cwd);
  const isFile = (name: string) => existsSync(resolve(cwd, name));
  const of = words.map((word) => {
    const { file, lines } = parsePlace(word, isFile);
    if (!isFile(file)) return word;
    return `${locate(project, cwd, file)}${lines === null ? "" : `:${lines.first}-${lines.last}`}`;
  });
  const found = await call(findImpact, { ...options, of }, project);
  output.result(found, () => renderImpact(found, output));
}

function renderImpact({ targets, touched, total, tests, notes }: ImpactAnswer, screen: Screen): string {
  const { colors } = screen;
  const named = targets
    .slice(0, targetsShown)
    .map((target) => `${printable(nameInFull(target))} (${printable(target.file)}:${target.line})`);
  const more = targets.length > targetsShown ? ` and ${targets.length - targetsShown} more` : "";
  const parts: string[] = [];
  if (targets.length > 0)
    parts.push(hanging(`${colors.bold("Change of")} ${named.join(", ")}${more}`, screen).join("\n"));
  const [ofTests, others] = [
    touched.filter(({ is_test }) => is_test),
    touched.filter(({ is_test }) => !is_test),
  ];
  if (ofTests.length > 0)
    parts.push([heading(`Tests (${tests})`, colors), ...rows(ofTests, screen)].join("\n"));
  if (others.length > 0)
    parts.push([heading(`Code (${total - tests})`, colors), ...rows(others, screen)].join("\n"));
  if (total === 0 && targets.length > 0) parts.push("No known code uses it.");
  if (touched.length < total)
    parts.push(colors.dim(`${touched.length} of ${counted(total, "place")}; --limit shows more`));
  if (notes.length > 0)
    parts.push(
      notes
        .flatMap((note) => hanging(printable(note), screen))
        .map(colors.dim)
        .join("\n"),
    );
  return parts.join("\n\n");
}

function rows(touched: readonly TouchedCode[], screen: Screen): string[] {
  const { colors } = screen;
  return touched.flatMap((touch) => {
    const { file, line, kind, distance, how, through, lines } = touch;
    const what = kind === "file" ? "" : ` ${printable(nameInFull(touch))}`;
    const where = kind === "file" ? (lines[0] ?? line) : line;
    // A caller of a caller says what it calls; --depth is how far from the change that is.
    const sure = distance > 1 ? howSure(touch, `indirect, depth ${distance}`) : howSure(touch);
    const way = `${verbs[how]} ${printable(through)}${sure}`;
    return hanging(`${colors.place(`${printable(file)}:${where}`)}${what}  ${colors.dim(way)}`, screen);
  });
}

const verbs = {
  call: "calls",
  construct: "creates",
  base: "extends",
  use: "uses",
  type: "uses type",
} as const satisfies Record<TouchedCode["how"], string>;
