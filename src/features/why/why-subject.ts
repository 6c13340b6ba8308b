import { basename } from "node:path/posix";
import type { LineRange } from "../../answers/file-place.ts";
import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { listIdentifiers } from "../../base/text/tokens.ts";
import { listLookupTerms, measureHeldShare, weighTerms } from "../../code/search/confidence/asked-terms.ts";
import { analyseQuery } from "../../code/search/query.ts";
import { compareClaims, parseClaim } from "../../sessions/decisions/stored.ts";
import { countSessionChunks } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { countRowsByToken } from "../../store/sqlite/full-text.ts";
import type { NearDecision } from "./operation.ts";

/** What lines are about. */
interface LineSubject {
  /** Names that few other places have: of what the lines are in, and those in them. */
  names: ReadonlySet<string>;
  /** The lines, the names of what they are in, what they were written for, and the decisions behind them. */
  text: string;
  /** The decisions behind them. */
  decisions: readonly string[];
  /** Their file. */
  file: string;
  /** Whether a decision that names the file is about the lines: enough to go with them, not to make them outdated. */
  isNamedByFile: boolean;
  /** False where the code index does not have the file: then what the lines are in is not known. */
  isIndexed: boolean;
}

/** Lines of which it is asked what concerns them. */
export interface LinesInQuestion extends Pick<LineSubject, "file" | "isNamedByFile"> {
  lines: LineRange;
  texts: readonly string[];
  /** What they were written for. */
  about: string;
}

/** The part of a later decision, by how rare its words are, that has to be about the subject. */
const minShare = 0.4;
/** A name in more of the code's chunks names something common; of few chunks always so many are few. */
const rareShare = 0.01;
const rareAtLeast = 8;
/** Shorter names are words. */
const minName = 6;
const written = /[a-z\d][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z\d]_[A-Za-z\d]/;

/**
 * What lines of a file are about, as far as the code index knows the file.
 * @param decisions that were made before the lines were written, or with them, and concern them
 */
export async function findSubject(
  project: Project,
  { file, lines, texts, about, isNamedByFile }: LinesInQuestion,
  decisions: readonly string[],
): Promise<LineSubject> {
  const inLines = [...new Set(texts.flatMap(listIdentifiers))].filter(
    (name) => name.length >= minName && written.test(name),
  );
  try {
    return await withIndex(project, loadConfig(project).config, async (index) => {
      const indexed = (await index.files()).filter(({ path }) => path === file);
      const around = (await index.readChunksOfFiles(indexed.map(({ id }) => id))).filter(
        ({ name, level, startLine, endLine }) =>
          name !== "" && level === "method" && startLine <= lines.last && endLine >= lines.first,
      );
      const { chunks, holding } = await index.countFrequencies(inLines.map((name) => name.toLowerCase()));
      const isRare = (name: string) =>
        (holding.get(name.toLowerCase()) ?? 0) <= Math.max(rareShare * chunks, rareAtLeast);
      const enclosing = around.map(({ name }) => name);
      return {
        names: new Set([...enclosing.filter((name) => name.length >= minName), ...inLines.filter(isRare)]),
        text: [...enclosing, ...texts, about, ...decisions].join("\n"),
        decisions,
        file,
        isNamedByFile,
        isIndexed: indexed.length > 0,
      };
    });
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    const text = [...texts, about, ...decisions].join("\n");
    return { names: new Set(inLines), text, decisions, file, isNamedByFile, isIndexed: false };
  }
}

/**
 * Whether a decision concerns what lines are about: it takes back a decision behind them, names their file (`isNamedByFile`) or what they define
 * or use and few others do, or is mostly about the same things. A decision about something else in the same file does
 * not make them outdated.
 */
export function isAboutSubject(
  memory: Memory,
  { text, supersedes }: NearDecision,
  subject: LineSubject,
): boolean {
  if (subject.decisions.some((earlier) => supersedes.includes(earlier))) return true;
  if (subject.isNamedByFile && text.includes(basename(subject.file))) return true;
  const claim = parseClaim(text);
  if (subject.decisions.some((earlier) => compareClaims(claim, parseClaim(earlier)) === "contradicts"))
    return true;
  if (listIdentifiers(text).some((name) => subject.names.has(name))) return true;
  const terms = listLookupTerms(analyseQuery(text)).filter((term) => !/^\d+$/.test(term));
  const holding = countRowsByToken(memory, "chunk_terms", terms);
  const asked = weighTerms(terms, { chunks: countSessionChunks(memory), holding });
  return measureHeldShare(asked, subject.text) >= minShare;
}
