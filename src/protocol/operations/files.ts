import * as z from "zod/mini";
import {
  count,
  described,
  field,
  lazy,
  limit,
  notes,
  strings,
  text,
  textOrNull,
  timeOrNull,
} from "../shape-parts.ts";
import { shareShape } from "./stats.ts";

/** The shapes of the project's files: what lies in a directory, finding one by its name, and its packages. */

export const directoryRequest = lazy(() =>
  z.object({ path: field("a directory, from the project's root; left out: the root", text) }),
);

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

export const packagesRequest = lazy(() => z.object({ near: field("which of them this path lies in", text) }));
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
