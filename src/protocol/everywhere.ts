import * as z from "zod/mini";
import { place, strings, text } from "./shape-parts.ts";

/** A directory of the project to ask first; and of which to ask only the projects inside. */
export const where = { here: z.optional(place), below: z.optional(place) };

/** The root of its project; paths are relative to it. */
export const inProject = { project: text };

/** Roots of the projects that answered, and those that did not. */
export const asked = { projects: strings, left_out: z.array(z.object({ project: text, reason: text })) };
