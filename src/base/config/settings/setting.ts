import * as z from "zod/mini";
import { levels } from "../../levels.ts";
import type { Unit } from "../../text/units.ts";

/** A setting: its type, its default, and what it is for. */
export interface SettingDefinition {
  schema: z.ZodMiniType;
  default: unknown;
  about: string;
  /** What a number counts: it is shown with it, and may be given so. */
  unit?: Unit;
  /** Who changes it: for whom the default is not right. */
  who: string;
  /**
   * A repository may say it of itself, in `.pommel/config.toml`: what to index, how to search, and which words to show as
   * what. Everything that sends, runs, records, keeps, deletes, backs up or scrubs is its user's own.
   */
  team?: true;
  /** Of the one daemon and the one home of a person: a project cannot have its own. */
  home?: true;
  /** The page does not change it: where texts and keys are sent, which program a click starts, what is recorded. */
  sensitive?: true;
  /**
   * A running daemon applies it at once. For all others it restarts, because they affect its indexer, models, watchers
   * or port.
   */
  live?: true;
}

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
