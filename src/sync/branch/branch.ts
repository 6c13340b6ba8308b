import { GitFailure } from "../../git/git.ts";
import { type Codec, isControl } from "../codec/codec.ts";
import { type BranchManifest, manifestPath, parseItemPath, readManifest } from "./manifest.ts";
import { type BlobReader, type BlobsByPath, readTree } from "./objects.ts";
import { joinTexts } from "./shared-file.ts";

/** A commit of the branch with its files. */
export interface Tip {
  commit: string;
  tree: BlobsByPath;
}

export async function readTip(dir: string, commit: string): Promise<Tip> {
  return { commit, tree: await readTree(dir, commit) };
}

/** The tip; null when the commit or a part of it is missing. */
export async function findTip(dir: string, commit: string): Promise<Tip | null> {
  try {
    return await readTip(dir, commit);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return null;
  }
}

/** A file that could not be read completely. */
export interface BranchProblem {
  path: string;
  reason: string;
}

type File = { path: string; text: string };

/** Reads files of several tips. */
export class Files {
  constructor(
    private readonly blobs: BlobReader,
    readonly codec: Codec,
  ) {}

  readonly problems = new Map<string, string>();

  /** null when missing or unreadable. */
  async read(tip: Tip | null, name: string): Promise<File | null> {
    const blob = tip?.tree.get(name);
    if (blob === undefined) return null;
    const content = await this.blobs.read(blob);
    const file = content === null ? null : await this.codec.open(name, content);
    if (file === null) this.problems.set(name, content === null ? "missing or damaged" : "not to be read");
    return file;
  }

  /** The file at a path, joined if it is stored under several names. */
  async readJoined(tip: Tip | null, path: string): Promise<string | null> {
    let found: string | null = null;
    for (const name of this.codec.listNames(path)) {
      const file = await this.read(tip, name);
      if (file === null) continue;
      found = found === null ? file.text : joinTexts(parseItemPath(path), found, file.text);
    }
    return found;
  }

  /** null when missing or invalid. */
  async findManifest(tip: Tip | null): Promise<BranchManifest | null> {
    for (const name of this.codec.listNames(manifestPath)) {
      const file = await this.read(tip, name);
      const manifest = file === null ? null : readManifest(file.text);
      if (manifest !== null) return manifest;
    }
    return null;
  }
}

/** Names whose content differs between two tips. */
export function listChangedNames(tip: Tip, before: Tip | null): string[] {
  return [...tip.tree].flatMap(([name, blob]) =>
    isControl(name) || before?.tree.get(name) === blob ? [] : [name],
  );
}
