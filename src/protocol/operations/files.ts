import * as z from "zod/mini";
import { levels } from "../../project/levels.ts";
import {
  count,
  described,
  field,
  lazy,
  limit,
  notes,
  place,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../shape-parts.ts";
import { shareShape } from "./stats.ts";

/** The shapes of the project's files: what lies in a directory, finding one by its name, its packages, and chunks of code. */

export const directoryRequest = lazy(() =>
  z.object({
    path: field("a directory, from the project's root; left out: the root", place),
    surviving: field("also how many of the agents' lines are left, which takes longer", z.boolean()),
  }),
);
export type DirectoryRequest = z.infer<ReturnType<typeof directoryRequest>>;

/**
 * Lines that agents added to the files of today, and how many of them these still hold. Blank and trivial lines do not count;
 * null: there are none, or it was not asked.
 */
const survivingShape = () => z.nullable(z.object({ added: count, left: count }));

/** What lies directly in a directory. */
const directoryEntry = lazy(() =>
  z.object({
    name: text,
    /** From the project's root. */
    path: text,
    is_directory: z.boolean(),
    /** Files in it; 1 for a file. */
    files: count,
    /** Lines that commits added to it, by who wrote them. */
    share: shareShape(),
    surviving: survivingShape(),
    /** The last commit that changed it; null: none of the latest thousands did, or it is not committed. */
    changed: z.nullable(
      z.object({
        hash: text,
        subject: text,
        person: text,
        authored_at: timeOrNull,
        session_title: textOrNull,
      }),
    ),
  }),
);
export type DirectoryEntry = z.infer<ReturnType<typeof directoryEntry>>;

export const directoryAnswer = lazy(() =>
  z.object({
    /** Without slashes around it; "" is the root. */
    path: text,
    /** Directories first, then files, by name. */
    entries: z.array(directoryEntry()),
    share: shareShape(),
    surviving: survivingShape(),
    notes,
  }),
);
export type DirectoryAnswer = z.infer<ReturnType<typeof directoryAnswer>>;

export const filesRequest = lazy(() =>
  z.object({ q: described("letters of its path, in their order", text), limit }),
);

export const filesAnswer = lazy(() =>
  z.object({
    /** Best first, from the project's root. */
    files: strings,
    total: count,
  }),
);
export type FilesAnswer = z.infer<ReturnType<typeof filesAnswer>>;

/** What changes when there is something new: each a mark that means nothing but "as before" or "not as before". */
export const stateResponse = lazy(() => z.object({ memory: text, code: text }));

export const packagesRequest = lazy(() =>
  z.object({ near: field("which of them this path lies in", place) }),
);
export type PackagesRequest = z.infer<ReturnType<typeof packagesRequest>>;

export const packagesAnswer = lazy(() =>
  z.object({
    /** In the order of their directories. */
    packages: z.array(
      z.object({
        name: text,
        /** Its directory from the project's root; "." for the root itself. */
        dir: text,
        /** Whose manifest or list names it: npm, cargo, go, maven, python, gradle. */
        kind: text,
        /** Indexed files that lie in it and in no package inside it. */
        files: count,
      }),
    ),
    /** The name of the package that `near` lies in; null: none, or not asked. */
    current: textOrNull,
  }),
);
export type PackagesAnswer = z.infer<ReturnType<typeof packagesAnswer>>;

/** Reading a chunk of code, with what it lies in and what lies in it. */
export const chunkRequest = lazy(() =>
  z.object({ id: described("a chunk's id, or FILE:LINES for the smallest chunk that holds them", text) }),
);
export type ChunkRequest = z.infer<ReturnType<typeof chunkRequest>>;

const outline = {
  id: text,
  start_line: z.number(),
  end_line: z.number(),
  level: z.enum(levels),
  /** What the language calls it: "function", "class"; "" for what has no name. */
  kind: text,
  name: text,
  /** One line, "" where there is none. */
  signature: text,
};

const chunkOutline = lazy(() => z.object(outline));
export type ChunkOutline = z.infer<ReturnType<typeof chunkOutline>>;

export const chunkAnswer = lazy(() =>
  z.object({
    file: text,
    language: text,
    chunk: z.object({ ...outline, parent_id: textOrNull, content: text }),
    /** What it lies in, the nearest first. */
    parents: z.array(chunkOutline()),
    /** What lies directly in it, in the order of lines. */
    children: z.array(chunkOutline()),
    freshness: z.enum(["fresh", "drifted"]),
  }),
);
export type ChunkAnswer = z.infer<ReturnType<typeof chunkAnswer>>;
