import { getErrorCode, PommelError } from "../../base/errors.ts";

/** After a failure nothing is tried for so long, as each try may take seconds. Milliseconds. */
const pauseMs = 2000;

interface Connecting<Opened> {
  open(): Promise<Opened>;
  /** An error as people are told it: a PommelError where the engine is what fails. */
  explain(error: unknown): unknown;
  end(opened: Opened): Promise<void>;
}

/** What is opened when it is first asked for, and again after its engine was away. */
export class EngineConnection<Opened> {
  private opened: Promise<Opened> | null = null;
  private failure: { at: number; error: unknown } | null = null;

  constructor(private readonly how: Connecting<Opened>) {}

  /** To be asked within `explainErrors`. @throws soon after a failure the same again */
  async ensureOpened(): Promise<Opened> {
    if (this.failure !== null && Date.now() - this.failure.at < pauseMs) throw this.failure.error;
    this.opened ??= this.how.open();
    return this.opened;
  }

  /** @throws what went wrong, as `explain` says it */
  async explainErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.failure = null;
      return result;
    } catch (error) {
      const known = this.how.explain(error);
      if (getErrorCode(known) === "index_unavailable" && this.failure?.error !== known)
        this.failure = { at: Date.now(), error: known };
      // What was opened may be gone, or be another one, when it is asked for again.
      if (known instanceof PommelError) void this.end();
      throw known;
    }
  }

  /** What is open is closed, and no longer given. */
  async end(): Promise<void> {
    const { opened } = this;
    this.opened = null;
    try {
      if (opened !== null) await this.how.end(await opened);
    } catch {
      // It did not open, or its engine is away.
    }
  }
}
