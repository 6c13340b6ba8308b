import type { Config } from "../../base/config/settings.ts";
import type { ThrownError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { Indexer, IndexProgress } from "./indexer.ts";

/** Messages between a daemon and the thread that writes its index. */

/** What the thread does for others, and whose method it is. */
export type Doing =
  | { on: "indexer"; what: "reconcile" | "reindex" | "update" | "prefer" | "read" | "releaseWorkers" }
  | { on: "index"; what: (typeof writes)[number] }
  | { on: "commits"; what: "add" | "remove" };

/** Methods of `CodeIndex` that change it, or that only the one who changes it asks. */
export const writes = [
  "replace",
  "write",
  "remove",
  "settle",
  "addVectors",
  "keepModels",
] as const satisfies readonly (keyof CodeIndex)[];

export interface IndexThreadSettings {
  project: Project;
  config: Config;
  withVectors: boolean;
  modelDir?: string | undefined;
}

export type IndexRequest = { id: number; args: readonly unknown[] } & Doing;

/** To the thread; after `end` it finishes the transaction at hand. */
export type ToIndexThread = IndexRequest | "end";

export type FromIndexThread =
  | { id: number; done: unknown }
  | { id: number; failed: ThrownError }
  | { progress: IndexProgress }
  | { log: keyof Logger; message: string }
  /** Files that say what is ignored were read again. */
  | { reloaded: true };

/** What keeps an index in step: the indexer, here or in a thread. */
export type Indexing = Pick<
  Indexer,
  "progress" | "reconcile" | "reindex" | "update" | "prefer" | "read" | "releaseWorkers" | "close"
>;
