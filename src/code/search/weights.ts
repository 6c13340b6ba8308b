import learned from "../../../models/rank/code.json" with { type: "json" };
import type { Level } from "../../base/levels.ts";
import type { FieldWeights } from "../../store/index/port.ts";
import type { PathRole } from "../files/path-role.ts";

/** Weights of files, as code.json has them. Signals are 0 to 1 and added up with these weights. */
export interface FileWeights {
  /** BM25 of the chunk, relative to the best one. */
  lexical: number;
  /** Words of the query that the chunk holds one after the other, as a message has them. */
  phrase: number;
  /** Nearness of the chunk's vector to the query's. */
  semantic: number;
  /** Nearness of the nearest three chunks of the file. */
  fileSemantic: number;
  /** The weight of nearness when the query is a name or a path, which is meant literally. */
  semanticOfNames: number;
  /** How much more nearness weighs when the query is long, and so says more surely what it means. */
  semanticOfLong: number;
  /** The file's other matching chunks. */
  coherence: number;
  /** Query words in the file's name. */
  fileName: number;
  /** Query words in the names of its directories. */
  directories: number;
  /** The query is this file's path. */
  path: number;
  /** Query words in the chunk's own name. */
  name: number;
  /** The chunk defines the very name that the query holds. */
  definition: number;
  /** How much of the code mentions the chunk's name. */
  mentions: number;
  /** How much the commit that is most like the query speaks for a file that it changed. */
  history: number;
  /** The share of its score that code keeps if a newer version is beside it (`v3/` beside `v4/`). */
  olderVersion: number;
  /** Certainty of a definition by how the query spells the name. */
  spellings: Record<"asWritten" | "otherSpelling" | "plainWord" | "plainWordOtherSpelling", number>;
  /** Certainty by what is defined: a question rarely means an implementation or a variable. Others count in full. */
  kinds: Record<string, number>;
  /** What chunks of a level keep of their score: what has a name is a better answer than a stretch of lines. */
  levels: Record<Level, number>;
  /** The share of their score that files of a role keep if the query does not ask for them. */
  roles: Record<PathRole, number>;
}

export const toFileWeights = ({ spellings, kinds, ...rest }: FileWeights) => ({
  ...rest,
  definitions: { spellings, kinds: new Map(Object.entries(kinds)) },
});

/** Every number that ranking depends on. Those of files and of places are learned (models/rank/README.md). */
export const weights = {
  ...toFileWeights(learned.files),
  /** What speaks for a chunk beside the others of its file, in a query for a name or a path and in one of words. */
  places: learned.places,
  /** How far a chunk falls behind the best one of its file, by the difference of their places. */
  placeShare: 0.2,

  /** The text that the query quotes, among other words: by its share, rare ones more. */
  quoted: 2,

  /** Columns of the full-text index. */
  columns: { name: 8, path: 4, head: 3, body: 1 } satisfies FieldWeights,
  /** Chunks that the full-text index hands to ranking. */
  candidates: 400,
  /** Chunks that each model's vectors add. */
  nearest: 100,
  /** Cosines below this are chance: something is always nearest, also to a query that has nothing to do with it. */
  minSimilarity: 0.25,
  /** Chunks added for each name the query may be speaking of. */
  definitionsPerName: 60,
  /** The share of the second model in a nearness that both have a vector for. */
  secondModel: 0.5,
  /** The weight of nearness with two models: together they are more certain. */
  semanticOfTwo: 1.25,
  /** Chunks, of the best, of which it is asked how much of the code mentions their name. */
  mentionsAsked: 60,
  /**
   * The score of a result in the package where one works, as a multiple. A name may mean another thing in each package; a
   * question in words says itself what it is about.
   */
  near: { name: 1.25, words: 1.1 },
};

export type Weights = typeof weights;

/** How a query may spell a name that is defined. */
export type Spelling = keyof FileWeights["spellings"];
