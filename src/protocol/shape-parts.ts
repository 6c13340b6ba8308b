import * as z from "zod/mini";
import { maxResults } from "../project/max-results.ts";

/** Parts that shapes of requests and answers are made of. */

export const text = z.string();
export const textOrNull = z.nullable(z.string());
export const numberOrNull = z.nullable(z.number());
export const count = z.int().check(z.minimum(0));
export const strings = z.array(z.string());
/** Without commas. */
export const name = z.string();
/** ISO 8601. */
export const time = z.string();
export const timeOrNull = z.nullable(time);
/** A line of a file, from 1. */
export const lineNumber = z.int().check(z.minimum(1));
/** What has to be known to read an answer: whole sentences. */
export const notes = z.array(z.string());
/** A time in a request: ISO 8601, or in words, "last week". */
export const when = z.optional(z.string());
/** How many results are wanted. */
export const limit = z.optional(z.int().check(z.minimum(1), z.maximum(maxResults)));

/** Makes a shape when it is first needed: a program should not make those of all other routes. */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
