import * as z from "zod/mini";
import { field, place, strings, text } from "./shape-parts.ts";

export const where = {
  here: field("a directory in the project whose results come first", place),
  below: field("only the projects in this directory", place),
};

/** The root of the entry's project. The entry's paths are relative to it. */
export const inProject = { project: text };

/** The roots of the projects that answered, and the projects that did not, with the reasons. */
export const asked = { projects: strings, left_out: z.array(z.object({ project: text, reason: text })) };
