import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import {
  count,
  described,
  field,
  lazy,
  limit,
  notes,
  place,
  type Shaped,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { shareShape } from "../../protocol/shares.ts";

export const directoryRequest = lazy(() =>
  z.object({
    path: field("a directory, with its path from the project's root (default: the root)", place),
    surviving: field("also how many of the agents' lines are left, which takes longer", z.boolean()),
  }),
);

export type DirectoryRequest = Shaped<typeof directoryRequest>;

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

export type DirectoryEntry = Shaped<typeof directoryEntry>;

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

export type DirectoryAnswer = Shaped<typeof directoryAnswer>;

export const filesRequest = lazy(() =>
  z.object({ q: described("letters that its path contains, in this order", text), limit }),
);

export const filesAnswer = lazy(() =>
  z.object({
    /** Best first, from the project's root. */
    files: strings,
    total: count,
  }),
);

export type FilesAnswer = Shaped<typeof filesAnswer>;

export const listDirectory = defineOperation({
  name: "directory",
  path: "GET /directory",
  summary: "List the files of a directory, with who wrote them and what changed them last",
  of: "memory, if any",
  request: directoryRequest,
  response: directoryAnswer,
  answer:
    async () =>
    async ({ project, memory }, request, { signal }) =>
      (await import("./files.ts")).describeDirectory(project, memory, request, signal),
});

export const findFiles = defineOperation({
  name: "files",
  path: "GET /files",
  summary: "Find files by letters of their paths",
  of: "project",
  request: filesRequest,
  response: filesAnswer,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./files.ts")).findFiles(project, request, signal),
});
