import { Worker } from "node:worker_threads";
import { builtFile } from "../../../../project/built-file.ts";
import type { ChunkId, Match, QueryVector, Scope, SearchableIndex } from "../../port.ts";
import type { IndexDatabase } from "../index-database.ts";
import { vectorCounts } from "../vector-rows.ts";
import { stored } from "./sign-blocks.ts";

type Asked = Pick<SearchableIndex, "nearest" | "similarities">;

/** What the thread is asked: a method of the index, and with what. */
export interface VectorRequest {
  id: number;
  what: keyof Asked;
  args: readonly unknown[];
}

export type VectorAnswer = { id: number; done: unknown } | { id: number; failed: Error };

export interface VectorThreadSettings {
  file: string;
  /** Models whose signs are read before anything is asked. */
  models: readonly string[];
}

interface Call {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/**
 * The vectors of a large index, in a thread of their own: a process that answers one question spends as long on reading their signs
 * as on everything else.
 */
export class VectorThread implements Asked {
  private readonly calls = new Map<number, Call>();
  private worker: Worker | null = null;
  private nextId = 0;
  private failure: Error | null = null;

  private constructor(private readonly settings: VectorThreadSettings) {}

  /** null where there is little to read, or the database is encrypted: its key may have been asked for. */
  static of(db: IndexDatabase): VectorThread | null {
    if (db.isEncrypted) return null;
    const models = vectorCounts(db).flatMap((space) => (stored(db, space).chunks > 0 ? [space.model] : []));
    return models.length === 0 ? null : new VectorThread({ file: db.file, models });
  }

  /** Begins to read what a question needs. May be called again. */
  start(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(builtFile("vector-worker.cjs"), { workerData: this.settings });
    worker.on("message", (answer: VectorAnswer) => {
      const call = this.calls.get(answer.id);
      this.calls.delete(answer.id);
      if ("failed" in answer) call?.reject(answer.failed);
      else call?.resolve(answer.done as never);
    });
    worker.on("error", (error) => this.fail(error));
    worker.on("exit", () => this.fail(new Error("the thread that compares vectors ended")));
    this.worker = worker;
    return worker;
  }

  nearest(query: QueryVector, k: number, scope: Scope): Promise<Match[]> {
    return this.ask("nearest", [query, k, scope]);
  }

  similarities(query: QueryVector, ids: readonly ChunkId[]): Promise<Float64Array> {
    return this.ask("similarities", [query, ids]);
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private ask<T>(what: VectorRequest["what"], args: readonly unknown[]): Promise<T> {
    if (this.failure !== null) return Promise.reject(this.failure);
    return new Promise<T>((resolve, reject) => {
      const id = this.nextId++;
      this.calls.set(id, { resolve, reject });
      this.start().postMessage({ id, what, args } satisfies VectorRequest);
    });
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.calls.values()) reject(this.failure);
    this.calls.clear();
  }
}
