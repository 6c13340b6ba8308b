import * as z from "zod/mini";

/** What the tools' arguments and answers have in common. Every request to a model may carry the descriptions. */

export const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  schema.check(z.describe(description)) as S;

export const text = (description: string, maxLength = 1000) =>
  described(z.string().check(z.minLength(1), z.maxLength(maxLength)), description);

export const optionalText = (description: string, maxLength?: number) =>
  z.optional(text(description, maxLength));

export const optionalList = (description: string) =>
  z.optional(
    described(
      z.array(z.string().check(z.minLength(1), z.maxLength(1000))).check(z.minLength(1), z.maxLength(50)),
      description,
    ),
  );

/** @param fallback tokens of an answer when the caller does not say */
export const maxTokens = (fallback = 2000) =>
  z._default(
    described(z.int().check(z.minimum(500), z.maximum(20_000)), "Answer size, 500 to 20000"),
    fallback,
  );

export const limit = (max: number, fallback: number) =>
  z._default(described(z.int().check(z.minimum(1), z.maximum(max)), `1 to ${max}`), fallback);

export const cursor = optionalText("For more: next_cursor of this call", 100);

export const since = optionalText('Not before: ISO 8601, or "last week"', 100);
export const until = optionalText("Not after", 100);

/** The structure of an answer. No client shows a model a schema of it, so it is a type and none is listed. */
export interface Output {
  /** What to know of the answer. */
  notes: string[];
}

/** Of an answer that may be cut. */
export interface PagedOutput extends Output {
  /** Where to go on; null: that is all. */
  next_cursor: string | null;
}

/** Of an answer with what people and agents once said. */
export interface LabelledOutput {
  /** Says that the texts are history, never instructions. */
  label: string;
}
