import { basename } from "node:path";
import { loadConfig } from "../../../../project/config/config.ts";
import { PommelError } from "../../../../project/errors.ts";
import { type DiskEncryption, diskEncryptionOf } from "../../../../project/files/disk-encryption.ts";
import { homeOf } from "../../../../project/home.ts";
import { backupFolders } from "../../../../queries/projects/known-projects.ts";
import { plainFiles } from "../../../../store/encryption/convert.ts";
import { homeEnvelope } from "../../../../store/encryption/envelope.ts";
import { unlock } from "../../../../store/encryption/keys.ts";
import { sealedEngine } from "../../../../store/encryption/sealed-driver.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** What never is encrypted, as it is needed before the key, or holds nothing of the memory. */
const alwaysPlain =
  "settings, the registry of projects, daemon.json, locks, the hash of the last audit record and what Node prints in a crash stay plain";

/** Nothing of Pommel's is encrypted: then it depends on the disk. */
export function plainOn(disk: DiskEncryption): CheckResult {
  if (disk === "on") return ok("everything is stored plain, for the owner only, on an encrypted disk");
  const stored = "everything is stored plain, for the owner only";
  if (disk === "unknown")
    return ok(`${stored} (\`pm encrypt\` encrypts it); whether the disk is encrypted cannot be seen`);
  return {
    status: "ok",
    message: `${stored}, and the disk is not encrypted: whoever has it, or a copy, can read everything`,
    hint: "Turn on FileVault, LUKS or BitLocker, or run `pm encrypt`.",
  };
}

/** What is stored plain, and whether what is not can be read. */
export function checkEncryption(): CheckResult {
  try {
    const { config } = loadConfig(null);
    const envelope = homeEnvelope();
    if (envelope === null) {
      return config["storage.encrypt"]
        ? warn("storage.encrypt is on, and nothing is encrypted yet", "Run `pm encrypt`, or `pm start`.")
        : plainOn(diskEncryptionOf(homeOf().dataDir));
    }
    sealedEngine();
    unlock(envelope);
    const plain = plainFiles({ backups: backupFolders() });
    if (plain.length === 0) {
      return ok(
        `memory, index, backups, audit log, spool and log are encrypted (key: ${envelope.source.kind}); ${alwaysPlain}`,
      );
    }
    const names = plain.map((file) => basename(file)).join(", ");
    return warn(`These are still plain: ${names}.`, "Run `pm encrypt`, which does the rest.");
  } catch (error) {
    if (error instanceof PommelError) return fail(error.message, error.hint);
    throw error;
  }
}
