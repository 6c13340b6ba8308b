import { loadConfig } from "../../project/config/config.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { NearDecision } from "../../protocol/operations/blame.ts";
import { analyseQuery } from "../../search/code/query.ts";
import { heldShare, termsOf, weighTerms } from "../../search/confidence/asked-terms.ts";
import { claimOf, relationOf } from "../../sessions/decisions/supersede.ts";
import { sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { frequenciesIn } from "../../store/sqlite/full-text-scores.ts";
import { identifiersOf } from "../../text/tokens.ts";
import type { LineRange } from "../blame/file-place.ts";
import { withIndex } from "../open.ts";

/** What lines are about. */
export interface Subject {
  /** Names that few other places have: of what the lines are in, and those in them. */
  names: ReadonlySet<string>;
  /** The lines, the names of what they are in, and the decisions behind them. */
  text: string;
  /** The decisions behind them. */
  decisions: readonly string[];
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
 * @param decisions that were made before the lines were written, or with them
 */
export async function subjectOf(
  project: Project,
  { file, lines, texts }: { file: string; lines: LineRange; texts: readonly string[] },
  decisions: readonly string[],
): Promise<Subject> {
  const inLines = [...new Set(texts.flatMap(identifiersOf))].filter(
    (name) => name.length >= minName && written.test(name),
  );
  try {
    return await withIndex(project, loadConfig(project).config, async (index) => {
      const indexed = (await index.files()).filter(({ path }) => path === file);
      const around = (await index.chunksOf(indexed.map(({ id }) => id))).filter(
        ({ name, level, startLine, endLine }) =>
          name !== "" && level === "method" && startLine <= lines.last && endLine >= lines.first,
      );
      const { chunks, holding } = await index.frequencies(inLines.map((name) => name.toLowerCase()));
      const isRare = (name: string) =>
        (holding.get(name.toLowerCase()) ?? 0) <= Math.max(rareShare * chunks, rareAtLeast);
      const enclosing = around.map(({ name }) => name);
      return {
        names: new Set([...enclosing.filter((name) => name.length >= minName), ...inLines.filter(isRare)]),
        text: [...enclosing, ...texts, ...decisions].join("\n"),
        decisions,
      };
    });
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    return { names: new Set(inLines), text: [...texts, ...decisions].join("\n"), decisions };
  }
}

/**
 * Whether a later decision concerns what lines are about: it takes back a decision behind them, names what they define
 * or use and few others do, or is mostly about the same things. A decision about something else in the same file does
 * not make them outdated.
 */
export function concerns(memory: Memory, { text, supersedes }: NearDecision, subject: Subject): boolean {
  if (subject.decisions.some((earlier) => supersedes.includes(earlier))) return true;
  const claim = claimOf(text);
  if (subject.decisions.some((earlier) => relationOf(claim, claimOf(earlier)) === "contradicts")) return true;
  if (identifiersOf(text).some((name) => subject.names.has(name))) return true;
  const terms = termsOf(analyseQuery(text)).filter((term) => !/^\d+$/.test(term));
  const holding = frequenciesIn(memory, "chunk_terms", terms);
  const asked = weighTerms(terms, { chunks: sessionChunkCount(memory), holding });
  return heldShare(asked, subject.text) >= minShare;
}
