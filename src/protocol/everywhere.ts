import * as z from "zod/mini";
import { field, place, strings, text } from "./shape-parts.ts";

export const where = {
  here: field("a directory in the project whose results come first", place),
  below: field("only the projects in this directory", place),
};

/** The root of its project; paths are relative to it. */
export const inProject = { project: text };

/** Roots of the projects that answered, and those that did not. */
export const asked = { projects: strings, left_out: z.array(z.object({ project: text, reason: text })) };
