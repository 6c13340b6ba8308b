import * as z from "zod/mini";
import { levels } from "../../levels.ts";

/** What settings may be. */

export const strings = z.array(z.string());
export const level = z.enum(levels);
export const positive = z.int().check(z.minimum(1));
export const natural = z.int().check(z.minimum(0));
/** A driver, or a driver and its model. */
export const embedder = z
  .string()
  .check(
    z.regex(/^(none|static|(ollama|openai)(\/\S+)?)$/),
    z.describe("none, static, ollama, ollama/MODEL, openai or openai/MODEL"),
  );
/** A driver and its model. */
export const generator = z
  .string()
  .check(
    z.regex(/^(none|ollama(\/\S+)?|openai\/\S+)$/),
    z.describe("none, ollama, ollama/MODEL or openai/MODEL"),
  );
export const url = z.string().check(
  z.refine((text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)),
  z.describe("an http:// or https:// address"),
);
/** A password would lie open there, and be shown. */
const isServerUrl = (text: string) =>
  text === "" || (/^postgres(?:ql)?:/.test(text) && URL.canParse(text) && new URL(text).password === "");
export const serverUrl = z
  .string()
  .check(z.refine(isServerUrl), z.describe("postgres://USER@HOST:PORT/DATABASE, without a password"));
export const indexUrl = z.string().check(
  z.refine((text) => isServerUrl(text) || /^(?:s3|gs|az):\/\/[^/?#@:]+(?:\/[^?#]*)?$/.test(text)),
  z.describe("postgres://USER@HOST:PORT/DATABASE, or s3://BUCKET/PATH (gs://, az://), without a password"),
);
export const variableName = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.describe("the name of an environment variable"));
