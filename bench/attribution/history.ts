import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { adopt, type Line, mergeTrees, newLine, type Tree, untold } from "./lines.ts";
import { blobOf, type Checkout, git, type World } from "./world.ts";

export interface KnownCommit {
  hash: string;
  parents: string[];
  tree: Tree;
  /** All operations that led to it: "amend", "rebase", ... */
  how: Set<string>;
  /** The session that ran git for it; null: a human. */
  by: string | null;
}

/** How a commit was made, where only git knows its content. */
export interface Coming {
  how: string[];
  by?: string | null;
  /** Exactly this. */
  tree?: Tree;
  /** The changes of this commit, once more. */
  picked?: string;
  /** The changes of this commit taken back. */
  reverted?: string;
  /** Squashed: all that this branch has. */
  squashed?: string;
}

interface Event {
  kind: "commit" | "rewrite";
  hash: string;
  old: string | null;
}

/** What every commit holds, line by line with its writer. */
export class History {
  readonly commits = new Map<string, KnownCommit>();
  /** Resolved conflicts, by blob. */
  readonly #resolved = new Map<string, readonly Line[]>();

  resolved(world: World, lines: readonly Line[]): void {
    this.#resolved.set(oidOf(blobOf(world, lines)), lines);
  }

  tree(hash: string | undefined): Tree {
    return (hash === undefined ? undefined : this.commits.get(hash)?.tree) ?? new Map();
  }

  head(world: World, checkout: Checkout): string {
    return git(world, checkout, ["rev-parse", "HEAD"]).trim();
  }

  /**
   * Reads the new commits from git, with the writers of their lines, and reports them to the keepers as the hooks do.
   */
  async take(world: World, checkout: Checkout, coming: Coming): Promise<void> {
    const events = readSpool(world);
    const rewritten = new Map<string, string[]>();
    for (const { kind, hash, old } of events) {
      if (kind === "rewrite") rewritten.set(hash, [...new Set([...(rewritten.get(hash) ?? []), old!])]);
    }
    const seen = new Set(events.filter(({ kind }) => kind === "commit").map(({ hash }) => hash));
    const branch = git(world, checkout, ["symbolic-ref", "-q", "--short", "HEAD"], { mayFail: true }).trim();
    const fresh: string[] = [];
    const listed = git(world, checkout, ["rev-list", "--topo-order", "--reverse", "--parents", "HEAD"]);
    for (const line of listed.trim().split("\n")) {
      const [hash, ...parents] = line.split(" ") as [string, ...string[]];
      if (this.commits.has(hash)) continue;
      const olds = rewritten.get(hash) ?? [];
      const tree = this.#treeOf(world, checkout, hash, parents, olds, coming);
      const how = new Set([...coming.how, ...olds.flatMap((old) => [...(this.commits.get(old)?.how ?? [])])]);
      const by = coming.by ?? null;
      this.commits.set(hash, { hash, parents, tree, how, by });
      fresh.push(hash);
    }
    // A squash makes intermediate commits that no branch contains in the end.
    const all = [...new Set([...seen, ...fresh])];
    for (const keeper of world.keepers) {
      for (const hash of all) {
        await keeper.takeIn(world, hash, {
          seen: seen.has(hash) ? "hook" : "reflog",
          branch: branch === "" ? null : branch,
          rewrittenFrom: rewritten.get(hash) ?? [],
        });
      }
    }
  }

  #treeOf(
    world: World,
    checkout: Checkout,
    hash: string,
    parents: readonly string[],
    olds: readonly string[],
    coming: Coming,
  ): Tree {
    const onto = this.tree(parents[0]);
    const versions: Tree[] = [];
    let guess: Tree = onto;
    const redo = (from: Tree, to: Tree) => {
      guess = mergeTrees(from, guess, to);
      versions.push(to);
    };
    const before = (old: string) => this.tree(this.commits.get(old)?.parents[0]);
    if (coming.tree) guess = coming.tree;
    else if (coming.picked) redo(before(coming.picked), this.tree(coming.picked));
    else if (coming.reverted) redo(this.tree(coming.reverted), before(coming.reverted));
    else if (coming.squashed ?? parents[1]) {
      const other = (coming.squashed ?? parents[1])!;
      const base = git(world, checkout, ["merge-base", parents[0]!, other]).trim();
      redo(this.tree(base), this.tree(other));
    } else {
      for (const old of olds) {
        if (this.commits.has(old)) redo(before(old), this.tree(old));
      }
    }
    return this.#asItIs(world, checkout, hash, [guess, onto, ...versions]);
  }

  /** The tree as git has it, with writers from what it ought to be, or from the versions that it was made of. */
  #asItIs(world: World, checkout: Checkout, hash: string, versions: readonly Tree[]): Tree {
    const tree = new Map<string, readonly Line[]>();
    for (const entry of git(world, checkout, ["ls-tree", "-r", "-z", hash]).split("\0")) {
      const [, oid, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (!oid || !path) continue;
      const candidates = versions.map((version) => version.get(path));
      let lines = candidates.find((lines) => lines && oidOf(blobOf(world, lines)) === oid);
      lines ??= this.#resolved.get(oid);
      if (!lines) {
        const texts = splitLines(git(world, checkout, ["cat-file", "blob", oid]));
        const here = candidates.filter((lines) => lines !== undefined);
        const elsewhere = versions.flatMap((version) => [...version.values()]);
        lines = adopt(texts, here.length > 0 ? here : elsewhere);
        if (lines.some(({ isMixed }) => isMixed)) lines = adopt(texts, [...here, ...elsewhere]);
      }
      tree.set(path, lines);
    }
    return tree;
  }
}

/** Lines without their ends, a carriage return counts to the end. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").replaceAll("\r\n", "\n").replace(/\r$/, "").split("\n");
}

/** Lines from before anybody watched. */
export function untoldLines(texts: readonly string[]): Line[] {
  return texts.map((text) => newLine(text, untold, "before"));
}

function oidOf(text: string): string {
  const bytes = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function readSpool({ scratch }: World): Event[] {
  const file = join(scratch, "spool");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  rmSync(file);
  return lines.map((line) => {
    const [kind, first, second] = line.split(" ");
    return kind === "rewrite"
      ? { kind, hash: second!, old: first! }
      : { kind: "commit", hash: first!, old: null };
  });
}
