import learned from "../../../models/rank/code.json" with { type: "json" };
import type { Level } from "../../project/levels.ts";
import type { FieldWeights } from "../../store/index/port.ts";
import type { PathRole } from "./path-role.ts";

/**
 * Every number that ranking depends on. Signals are 0 to 1 and added up with these weights; penalties multiply
 * the sum. Those of files are set by hand, on one half of the annotated questions' repositories, and confirmed on the other; those
 * learned cost quality there (models/rank/README.md).
 */
export const weights = {
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

  lexical: 0.75,
  /** Words of the query that the chunk holds one after the other, as a message has them. */
  phrase: 2,
  /** Nearness of the chunk's vector to the query's. */
  semantic: 0.8,
  /** Nearness of the nearest three chunks of the file. */
  fileSemantic: 1.8,
  /** The weight of nearness when the query is a name or a path, which is meant literally. */
  semanticOfNames: 0.5,
  /** The share of the second model in a nearness that both have a vector for. */
  secondModel: 0.5,
  /** The weight of nearness with two models: together they are more certain. */
  semanticOfTwo: 1.25,
  /** The file's other matching chunks. */
  coherence: 0.4,
  /** Query words in the file's name. */
  fileName: 0.8,
  /** Query words in the names of its directories. */
  directories: 0.15,
  /** The query is this file's path. */
  path: 1,
  /** Query words in the chunk's own name. */
  name: 0.3,
  /** The chunk defines the very name that the query holds. */
  definition: 0.6,

  /** How much of the code mentions the chunk's name; asked of the best `mentionsAsked`. */
  mentions: 0.3,
  mentionsAsked: 60,

  definitions: {
    /** Certainty by how the query spells the name. */
    spellings: { asWritten: 1, otherSpelling: 0.6, plainWord: 0.5, plainWordOtherSpelling: 0.35 },
    /** Types first: a question rarely means an implementation or a variable of the same name. */
    kinds: new Map([
      ["method", 0.8],
      ["constructor", 0.8],
      ["function", 0.9],
      ["impl", 0.6],
      ["variable", 0.6],
      ["constant", 0.7],
      ["heading", 0.3],
    ]),
  },

  /**
   * The score of a result in the package where one works, as a multiple. A name may mean another thing in each package; a
   * question in words says itself what it is about.
   */
  near: { name: 1.25, words: 1.1 },
  /** How much the commit that is most like the query speaks for a file that it changed. */
  history: 0.3,
  /** What speaks for a chunk beside the others of its file, in a query for a name or a path and in one of words: learned (models/rank). */
  places: learned.places,
  /** How far a chunk falls behind the best one of its file, by the difference of their places. */
  placeShare: 0.2,
  /** What chunks of a level keep of their score: what has a name is a better answer than a stretch of lines. */
  levels: { file: 1, class: 1, method: 1, block: 0.9, lines: 0.9 } satisfies Record<Level, number>,
  /** The share of its score that code keeps if a newer version is beside it (`v3/` beside `v4/`). */
  olderVersion: 0.6,
  /** The share of their score that files of a role keep if the query does not ask for them. */
  roles: {
    source: 1,
    test: 0.3,
    example: 0.4,
    changelog: 0.4,
    docs: 0.6,
    legacy: 0.5,
    generated: 0.4,
    built: 0.4,
    barrel: 0.7,
    types: 0.7,
  } satisfies Record<PathRole, number>,
};

export type Weights = typeof weights;

/** How a query may spell a name that is defined. */
export type Spelling = keyof Weights["definitions"]["spellings"];
