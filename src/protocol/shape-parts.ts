import * as z from "zod/mini";
import { maxResults } from "../base/max-results.ts";
import { cleanLabel, describeKind, isValidAs, type LabelKind, type OutsideKind } from "./outside.ts";

/** Parts that shapes of requests and answers are made of. */

export const text = z.string();
export const textOrNull = z.nullable(z.string());
export const numberOrNull = z.nullable(z.number());
export const count = z.int().check(z.minimum(0));
export const strings = z.array(z.string());
/** Without commas. */
export const name = z.string().check(z.meta({ format: "name" }));
/** What `protocol/outside.ts` has a grammar for. */
export const outside = (kind: OutsideKind) =>
  z.string().check(
    z.refine((value) => isValidAs(kind, value), { error: describeKind(kind) }),
    z.meta({ format: kind }),
  );
/** What people read: cleaned. */
export const label = (kind: LabelKind) =>
  z.pipe(
    z.string(),
    z.transform((value: string) => cleanLabel(kind, value)),
  );
/** A path as a person, an agent or an editor gives it. */
export const place = outside("place");
export const places = z.array(place);
/** What git finds a commit by. */
export const revision = outside("revision");
/** ISO 8601. */
export const time = z.string();
export const timeOrNull = z.nullable(time);
/** A line of a file, from 1. */
export const lineNumber = z.int().check(z.minimum(1));
/** What has to be known to read an answer: whole sentences. */
export const notes = z.array(z.string());

/** Describes a field of a request for the command line, MCP and OpenAPI. A few words, no capital. */
export const described = <S extends z.ZodMiniType>(about: string, shape: S): S =>
  shape.check(z.describe(about)) as S;

/** A field that may be left out. */
export const field = <S extends z.ZodMiniType>(about: string, shape: S) =>
  z.optional(described(about, shape));

// Fields that many requests have.
export const sessionId = outside("session");
export const sessionNamed = described("the session's id, or a prefix of it", sessionId);
export const since = field('only since this time: "2026-01-31", "last week"', text);
export const until = field("only until this time", text);
export const sessionField = field("only this session", sessionId);
export const branch = field("only this branch", outside("branch"));
export const agent = field("only this agent, such as claude", outside("agent"));
export const limit = field("at most this many results", z.int().check(z.minimum(1), z.maximum(maxResults)));

/** Makes a shape when it is first needed: a program should not make those of all other routes. */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a shape made by `lazy` holds. */
export type Shaped<S extends () => z.ZodMiniType> = z.infer<ReturnType<S>>;
