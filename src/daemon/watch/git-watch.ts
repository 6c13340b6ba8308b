import { statSync } from "node:fs";
import { gitDirectoryOf, headLogOf, isRebasing } from "../../git/git-dir.ts";

interface GitWatchOptions {
  roots: () => readonly string[];
  /** HEAD of a worktree may have moved. */
  onHeadChanged: () => void;
  /** How often to look. Milliseconds. */
  pollIntervalMs?: number;
}

/** Detects commits that no hook reported: polls the reflogs of HEAD, without running git. */
export class GitWatch {
  private readonly stamps = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: GitWatchOptions) {}

  /** What there is now was seen to. */
  begin(): void {
    this.hasMoved();
    this.timer = setInterval(() => this.look(), this.options.pollIntervalMs ?? 10_000).unref();
  }

  look(): void {
    if (this.hasMoved()) this.options.onHeadChanged();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private hasMoved(): boolean {
    let hasMoved = false;
    for (const root of this.options.roots()) {
      const directory = gitDirectoryOf(root);
      // Nothing is final during a rebase.
      if (directory === null || isRebasing(directory)) continue;
      const { mtimeMs, size } = statSync(headLogOf(directory), { throwIfNoEntry: false }) ?? {};
      const stamp = `${mtimeMs}/${size}`;
      if (this.stamps.get(root) !== stamp) hasMoved = true;
      this.stamps.set(root, stamp);
    }
    return hasMoved;
  }
}
