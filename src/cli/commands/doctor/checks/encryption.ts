import { basename } from "node:path";
import { call } from "../../../../client/call.ts";
import { loadConfig } from "../../../../project/config/config.ts";
import { PommelError } from "../../../../project/errors.ts";
import { type DiskEncryption, diskEncryptionOf } from "../../../../project/files/disk-encryption.ts";
import { homeOf } from "../../../../project/home.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** What never is encrypted, as it is needed before the key, or holds nothing of the memory. */
const alwaysPlain =
  "settings, the registry of projects, daemon.json, locks, the hash of the last audit record and what Node prints in a crash stay plain";

/** Nothing of Pommel's is encrypted: then it depends on the disk. */
export function plainOn(disk: DiskEncryption): CheckResult {
  if (disk === "on") return ok("everything is stored plain, for the owner only, on an encrypted disk");
  const stored = "everything is stored plain, for the owner only";
  if (disk === "unknown")
    return ok(`${stored} (\`pm memory encrypt\` encrypts it); whether the disk is encrypted cannot be seen`);
  return {
    status: "ok",
    message: `${stored}, and the disk is not encrypted: whoever has it, or a copy, can read everything`,
    hint: "Turn on FileVault, LUKS or BitLocker, or run `pm memory encrypt`.",
  };
}

/** What is stored plain, and whether what is not can be read. */
export async function checkEncryption(): Promise<CheckResult> {
  try {
    const { config } = loadConfig(null);
    const encrypted = await call("stillPlain", {}, null);
    if (encrypted === null) {
      return config["storage.encrypt"]
        ? warn(
            "storage.encrypt is on, and nothing is encrypted yet",
            "Run `pm memory encrypt`, or `pm daemon start`.",
          )
        : plainOn(diskEncryptionOf(homeOf().dataDir));
    }
    const { key, files } = encrypted;
    if (files.length === 0) {
      return ok(
        `memory, index, backups, audit log, spool and log are encrypted (key: ${key}); ${alwaysPlain}`,
      );
    }
    const names = files.map((file) => basename(file)).join(", ");
    return warn(`These are still plain: ${names}.`, "Run `pm memory encrypt`, which does the rest.");
  } catch (error) {
    if (error instanceof PommelError) return fail(error.message, error.hint);
    throw error;
  }
}
