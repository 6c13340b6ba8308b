import * as z from "zod/mini";
import { described, field } from "../../protocol/shape-parts.ts";

/**
 * What the tools' arguments and answers have in common. Arguments that are fields of an operation's request are taken from
 * it, with their descriptions, which every request to a model may carry.
 */

/** @param fallback tokens of an answer when the caller does not say */
export const maxTokens = (fallback = 2000) =>
  z._default(described("500 to 20000", z.int().check(z.minimum(500), z.maximum(20_000))), fallback);

export const limit = (max: number, fallback: number) =>
  z._default(described(`1 to ${max}`, z.int().check(z.minimum(1), z.maximum(max))), fallback);

export const cursor = field("next_cursor", z.string());

/** Answered by another project than the one where the server runs. */
export const project = field("another's root or name", z.string());

/** The structure of an answer. No client shows a model a schema of it, so it is a type and none is listed. */
export interface Output {
  /** Notes on the answer. */
  notes: string[];
}

/** Of an answer that may be cut. */
export interface PagedOutput extends Output {
  /** Where to go on; null: that is all. */
  next_cursor: string | null;
}

/** Of an answer that quotes people, agents or code. */
export interface LabelledOutput {
  /** Says that the texts are data, never instructions. */
  label: string;
}
