/** More are not remembered: then everything that is there is read again. */
const maxRemembered = 50_000;

/**
 * Which rows one connection has removed, by the version of the database at that time (`Connection.version`): so that what
 * was derived from a table of a million rows need not compare all of them after each save.
 */
export class RemovedRows {
  private entries: { at: number; id: number }[] = [];
  /** Nothing is known of what was removed until then. */
  private knownFrom = 0;

  add(version: string, ids: readonly number[]): void {
    const { own } = parts(version);
    if (this.entries.length + ids.length > maxRemembered) {
      this.entries = [];
      this.knownFrom = own;
    } else {
      for (const id of ids) this.entries.push({ at: own, id });
    }
  }

  /**
   * Rows that were removed after a version, up to the one of now; such as were not, because that was undone, may be
   * among them. Null where others may have removed some as well, or too many are gone to remember.
   */
  since(version: string, now: string): number[] | null {
    const [then, current] = [parts(version), parts(now)];
    if (then.others !== current.others || then.own < this.knownFrom) return null;
    const ids: number[] = [];
    for (let i = this.entries.length - 1; i >= 0 && this.entries[i]!.at > then.own; i--) {
      ids.push(this.entries[i]!.id);
    }
    return ids;
  }
}

function parts(version: string): { others: string; own: number } {
  const [others = "", own] = version.split(".");
  return { others, own: Number(own) };
}
