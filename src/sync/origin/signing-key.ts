import { execFile } from "node:child_process";
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { readTextIfAny } from "../../base/files/if-any.ts";
import { makeDraftPath } from "../../base/files/replace-file.ts";
import { makeDirectory } from "../../base/home.ts";
import { GitFailure, readGitFields } from "../../git/git.ts";
import { encodePublicKey, findSigner, hashKey, namespace, parsePublicKey, signSsh } from "./sshsig.ts";

/** What signs this machine's records. */
export interface SigningKey {
  /** `SHA256:…`; null: only a signature tells. */
  fingerprint: string | null;
  /** @throws PommelError `sync_failed` */
  sign(message: string): Promise<string>;
}

/** The key that `pm share git` makes where git signs with none. */
export const locateKeyFile = (configDir: string): string => join(configDir, "keys", "signing.pem");

/**
 * The key that git signs commits with, where the person's own configuration says that this is an SSH key; else one of
 * Pommel's own. A repository's configuration does not count: it may be a stranger's.
 * @param make whether to make the own key where there is none
 * @returns null: there is no key yet
 */
export async function findSigningKey(
  dir: string,
  { file, make, onMade }: { file: string; make: boolean; onMade?: ((file: string) => void) | undefined },
): Promise<SigningKey | null> {
  const settings = await readPersonalSettings(dir);
  const isSsh = settings.get("gpg.format") === "ssh";
  const chosen =
    settings.get("user.signingkey") || (await runKeyCommand(settings.get("gpg.ssh.defaultkeycommand")));
  if (isSsh && chosen) return createGitKey(chosen, settings.get("gpg.ssh.program") || "ssh-keygen");
  const own = readOwnKey(file) ?? (make ? makeOwnKey(file, onMade) : null);
  return own && createProcessKey(own);
}

/** git's settings by name, the last one of each, of the system's and the person's files, with what these include. */
async function readPersonalSettings(dir: string): Promise<Map<string, string>> {
  const settings = new Map<string, string>();
  try {
    let scope: string | null = null;
    for await (const field of readGitFields(dir, ["config", "--list", "--show-scope", "-z"])) {
      if (scope === null) {
        scope = field;
        continue;
      }
      const at = field.indexOf("\n");
      if (scope === "system" || scope === "global")
        settings.set(field.slice(0, at < 0 ? undefined : at), at < 0 ? "true" : field.slice(at + 1));
      scope = null;
    }
  } catch (error) {
    // A git that knows no scopes: then Pommel's own key signs.
    if (!(error instanceof GitFailure)) throw error;
  }
  return settings;
}

const isLiteral = (key: string) => /^(?:key::|ssh-|ecdsa-|sk-)/.test(key) && key.includes(" ");

/** The first key that git's `gpg.ssh.defaultKeyCommand` names. */
async function runKeyCommand(command: string | undefined): Promise<string | null> {
  const [program, ...args] = command?.trim().split(/\s+/) ?? [];
  if (!program) return null;
  const printed = await runProgram(program, args, "").catch(() => "");
  const [first = ""] = printed.split("\n");
  return isLiteral(first) ? first : null;
}

function createGitKey(chosen: string, program: string): SigningKey {
  const literal = isLiteral(chosen) ? chosen.replace(/^key::/, "") : null;
  const file = chosen.replace(/^~(?=\/)/, homedir());
  const line =
    literal ?? (readTextIfAny(file.endsWith(".pub") ? file : `${file}.pub`) || readTextIfAny(file));
  const publicKey = parsePublicKey(line);
  return {
    fingerprint: publicKey && hashKey(publicKey),
    async sign(message) {
      const dir = mkdtempSync(`${makeDraftPath(join(tmpdir(), "pommel-key"))}-`);
      try {
        const keyFile = literal === null ? file : join(dir, "key.pub");
        if (literal !== null) writeFileSync(keyFile, `${literal}\n`, { mode: 0o600 });
        // A key that is given as text is its agent's.
        const args = ["-Y", "sign", "-n", namespace, "-f", keyFile, ...(literal === null ? [] : ["-U"])];
        const signature = await runProgram(program, args, message);
        if (findSigner(signature, message) === null) throw new Error("what it gave is no signature");
        return signature;
      } catch (error) {
        throw new PommelError(
          "sync_failed",
          `${program} could not sign with ${literal === null ? file : "the key of user.signingKey"}: ${getErrorMessage(error)}.`,
          "Nothing was shared. Check that git can sign with it: `git commit --allow-empty -S`.",
        );
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
}

/** Long enough to touch a security key, or to type its passphrase. Milliseconds. */
const signingMs = 60_000;

/** Started from the home directory, never from a repository. */
function runProgram(program: string, args: readonly string[], stdin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: homedir(), timeout: signingMs, maxBuffer: 1 << 20 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim().split("\n").at(-1) || error.message));
    });
    // It may end before it has read all.
    child.stdin?.on("error", () => {}).end(stdin);
  });
}

function readOwnKey(file: string): KeyObject | null {
  try {
    return createPrivateKey(readFileSync(file, "utf8"));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return null;
    throw new PommelError(
      "unreadable",
      `Cannot read the key ${file}: ${getErrorMessage(error)}.`,
      "Check its permissions. Without it, move it away: the next `pm share git` makes another.",
    );
  }
}

function makeOwnKey(file: string, onMade?: (file: string) => void): KeyObject {
  const { privateKey } = generateKeyPairSync("ed25519");
  makeDirectory(dirname(file));
  try {
    writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another process was first.
    const made = getErrorCode(error) === "EEXIST" ? readOwnKey(file) : null;
    if (made) return made;
    throw error;
  }
  onMade?.(file);
  return privateKey;
}

/** A key that this process holds. */
export const createProcessKey = (key: KeyObject): SigningKey => ({
  fingerprint: hashKey(encodePublicKey(key)),
  sign: async (message) => signSsh(key, message),
});
