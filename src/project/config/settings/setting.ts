import type * as z from "zod/mini";

/** A setting: its type, its default, and what it is for. */
export interface Setting {
  schema: z.ZodMiniType;
  default: unknown;
  about: string;
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
