import * as z from "zod/mini";

/** A vector as JSON. Checked in one pass: element by element, a schema would take longer than the request. */
export const numbers = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((element) => typeof element === "number"),
);
