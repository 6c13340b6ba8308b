import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeDirectory } from "../../base/home.ts";
import { layoutVersion, manifestPath, parseItemPath, parseManifestVersion } from "../branch/manifest.ts";
import type { BlobsByPath } from "../branch/objects.ts";
import {
  type Codec,
  computeKeyId,
  createSealedCodec,
  keysDir,
  lockIdentity,
  makeIdentity,
  makeKeyNotice,
  makeWrongPassphraseError,
  markerPath,
  parseIdentities,
  plain,
  toRecipient,
  unlockIdentity,
} from "./codec.ts";

/** The environment variable with the passphrase of sync.encryption = passphrase, for use without a terminal. */
export const syncPassphraseVariable = "POMMEL_SYNC_PASSPHRASE";

export interface EncryptionSettings {
  encryption: "none" | "passphrase" | "key";
  /** The branch's name, for messages. */
  branch: string;
  keyFile: string;
  /** Asks for the passphrase; `isNew`: a new one. null: no terminal. */
  passphrase: (isNew: boolean) => Promise<string | null>;
  /** Called when a key file was created. */
  onKeyMade?: (file: string) => void;
  /** Leave nothing behind: create a needed key temporarily. */
  isTrial?: boolean;
  /** age's scrypt work factor; set by tests only. */
  workFactor?: number;
}

/** The branch's control files, local and remote. */
interface Present {
  trees: readonly BlobsByPath[];
  read(hash: string): Promise<Uint8Array | null>;
}

/** Whether these files are Pommel's and encrypted; null for an unrelated branch. */
export function classifyTree(tree: BlobsByPath): "plain" | "sealed" | "empty" | null {
  if (tree.size === 0) return "empty";
  if (tree.has(markerPath)) return "sealed";
  const isOurs = tree.has(manifestPath) || [...tree.keys()].some((path) => parseItemPath(path) !== null);
  return isOurs ? "plain" : null;
}

/**
 * Chooses the codec for the branch.
 * @throws PommelError `sync_refused`: the branch is unrelated, encrypted differently, or unreadable
 */
export async function openCodec(present: Present, settings: EncryptionSettings): Promise<Codec> {
  const { encryption, branch } = settings;
  for (const tree of present.trees) {
    const kind = classifyTree(tree);
    if (kind === null) {
      throw new PommelError(
        "sync_refused",
        `The branch ${branch} does not contain Pommel's memory. Nothing was changed.`,
        "Choose another branch with `pm config set sync.branch NAME`.",
      );
    }
    if (kind === "sealed" && encryption === "none") {
      throw new PommelError(
        "sync_refused",
        `The branch ${branch} is encrypted, but sync.encryption is none.`,
        "Run `pm config set --global sync.encryption passphrase` (or key), as on the machine that shares it.",
      );
    }
    if (kind === "plain" && encryption !== "none") {
      throw new PommelError(
        "sync_refused",
        `The branch ${branch} is not encrypted, and its history cannot be encrypted afterwards.`,
        "Choose a new branch with `pm config set sync.branch NAME`, and delete the old one.",
      );
    }
  }
  if (encryption === "none") {
    await refuseNewer(present);
    return plain;
  }
  return encryption === "key" ? withKeyFile(present, settings) : withPassphrase(present, settings);
}

async function refuseNewer({ trees, read }: Present): Promise<void> {
  for (const tree of trees) {
    const blob = tree.get(manifestPath);
    const content = blob === undefined ? null : await read(blob);
    const version = content === null ? null : parseManifestVersion(Buffer.from(content).toString());
    if (version !== null && version > layoutVersion) {
      throw new PommelError(
        "sync_refused",
        `The shared memory was written by a newer Pommel (layout ${version}).`,
        "Update Pommel on this machine.",
      );
    }
  }
}

/** The branch's key files by path, local and remote. */
async function readKeyFiles({ trees, read }: Present): Promise<Map<string, Uint8Array>> {
  const keys = new Map<string, Uint8Array>();
  for (const tree of trees) {
    for (const [path, blob] of tree) {
      if (!path.startsWith(keysDir) || keys.has(path)) continue;
      const content = await read(blob);
      if (content !== null) keys.set(path, content);
    }
  }
  return keys;
}

async function withPassphrase(present: Present, settings: EncryptionSettings): Promise<Codec> {
  const keys = await readKeyFiles(present);
  const locked = [...keys].filter(([path]) => path.endsWith(".age"));
  const isNew = locked.length === 0;
  refuseOtherWay(settings, present, isNew, "key");
  const passphrase = await settings.passphrase(isNew);
  if (!passphrase) {
    throw new PommelError(
      "sync_refused",
      "The shared memory is encrypted with a passphrase, but there is no terminal to ask.",
      `Set it in the environment variable ${syncPassphraseVariable}.`,
    );
  }
  if (isNew) {
    const identity = await makeIdentity();
    const { path, content } = await lockIdentity(identity, passphrase, settings.workFactor);
    return createSealedCodec([identity], new Map([[path, content]]));
  }
  const identities: string[] = [];
  for (const [, content] of locked) {
    const identity = await unlockIdentity(content, passphrase);
    if (identity !== null) identities.push(identity);
  }
  if (identities.length === 0) throw makeWrongPassphraseError();
  return createSealedCodec(identities, keys);
}

/** Refuses a branch that only has keys of the other kind. */
function refuseOtherWay(
  { branch }: EncryptionSettings,
  { trees }: Present,
  isNew: boolean,
  other: "key" | "passphrase",
): void {
  if (!isNew || trees.every((tree) => tree.size === 0)) return;
  throw new PommelError(
    "sync_refused",
    `The branch ${branch} is encrypted with a ${other === "key" ? "key file" : "passphrase"}.`,
    `Run \`pm config set --global sync.encryption ${other}\`.`,
  );
}

async function withKeyFile(present: Present, settings: EncryptionSettings): Promise<Codec> {
  const keys = await readKeyFiles(present);
  const notices = [...keys.keys()].filter((path) => path.endsWith(".txt"));
  refuseOtherWay(settings, present, notices.length === 0, "passphrase");
  let identities = readKeyFile(settings.keyFile);
  if (identities === null) {
    if (notices.length > 0) throw makeOtherKeyError(settings, "there is no key here");
    identities = [await makeKeyFile(settings)];
  }
  const ids = await Promise.all(identities.map(computeKeyId));
  const isOurs = ids.some((id) => keys.has(`${keysDir}${id}.txt`));
  if (notices.length > 0 && !isOurs)
    throw makeOtherKeyError(settings, `${settings.keyFile} holds another key`);
  const usable = identities.filter((_, i) => notices.length === 0 || keys.has(`${keysDir}${ids[i]}.txt`));
  for (const identity of usable) {
    const { path, content } = await makeKeyNotice(identity);
    keys.set(path, content);
  }
  return createSealedCodec(usable, keys);
}

function makeOtherKeyError({ keyFile }: EncryptionSettings, why: string): PommelError {
  return new PommelError(
    "sync_refused",
    `The shared memory was encrypted with a key file, and ${why}. Nothing was changed.`,
    `Copy the key file of the machine that shared it to ${keyFile}.`,
  );
}

function readKeyFile(file: string): string[] | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw new PommelError(
      "unreadable",
      `Cannot read ${file}: ${getErrorMessage(error)}.`,
      "Check its permissions.",
    );
  }
  const identities = parseIdentities(text);
  if (identities.length === 0) {
    throw new PommelError(
      "sync_refused",
      `${file} contains no age identity (a line that begins with AGE-SECRET-KEY-1).`,
      "Put the key file of another of your machines there.",
    );
  }
  return identities;
}

async function makeKeyFile({ keyFile, onKeyMade, isTrial }: EncryptionSettings): Promise<string> {
  const identity = await makeIdentity();
  if (isTrial) return identity;
  const lines = [
    "# Reads and writes Pommel's shared memory. Copy it to your other machines; anyone who has it can read everything.",
    `# public key: ${await toRecipient(identity)}`,
    identity,
  ];
  makeDirectory(dirname(keyFile));
  writeFileSync(keyFile, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx" });
  onKeyMade?.(keyFile);
  return identity;
}
