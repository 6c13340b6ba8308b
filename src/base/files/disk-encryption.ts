import { spawnSync } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../find-program.ts";
import { listNamesIfAny, readTextIfAny } from "./if-any.ts";

/** Whether the disk that holds a file is encrypted, as far as it can be seen without being root. */
export type DiskEncryption = "on" | "off" | "unknown";

export function detectDiskEncryption(file: string, platform = process.platform): DiskEncryption {
  try {
    if (platform === "linux") return detectLinuxEncryption(file);
    if (platform === "darwin") return parseFileVaultStatus(readProgramOutput("fdesetup", ["status"]));
    if (platform === "win32")
      return parseBitLockerProtection(
        readProgramOutput("powershell", ["-NoProfile", "-Command", makeProtectionQuery(file)]),
      );
  } catch {
    // A system that does not let us look.
  }
  return "unknown";
}

function readProgramOutput(name: string, args: readonly string[]): string {
  const [program] = findProgram(name) ?? [];
  return program === undefined
    ? ""
    : (spawnSync(program, args, { encoding: "utf8", timeout: 5000 }).stdout ?? "");
}

export function parseFileVaultStatus(status: string): DiskEncryption {
  if (/FileVault is On/i.test(status)) return "on";
  return /FileVault is Off/i.test(status) ? "off" : "unknown";
}

const makeProtectionQuery = (file: string) =>
  `(New-Object -ComObject Shell.Application).NameSpace('${file.slice(0, 2).replaceAll("'", "")}').Self.ExtendedProperty('System.Volume.BitLockerProtection')`;

/** What Windows says of a volume: 1 protected, 2 not, 3 being encrypted, 5 suspended. */
export function parseBitLockerProtection(protection: string): DiskEncryption {
  const state = protection.trim();
  return state === "1" || state === "3" || state === "5" ? "on" : state === "2" ? "off" : "unknown";
}

/** LUKS and dm-crypt below the file system, also below LVM and RAID. */
function detectLinuxEncryption(file: string): DiskEncryption {
  const { dev } = statSync(file);
  // As Linux packs them (makedev).
  const major = ((dev >> 8) & 0xfff) | (Math.floor(dev / 2 ** 32) & ~0xfff);
  const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00);
  // Of no block device: a network, a container's layers, ZFS, Btrfs, memory.
  return major === 0 ? "unknown" : detectDeviceEncryption(`/sys/dev/block/${major}:${minor}`);
}

/** @param device its directory in /sys */
export function detectDeviceEncryption(device: string): DiskEncryption {
  const dir = realpathSync(device);
  if (readTextIfAny(join(dir, "dm/uuid")).startsWith("CRYPT-")) return "on";
  const below = listNamesIfAny(join(dir, "slaves")).map((name) =>
    detectDeviceEncryption(join(dir, "slaves", name)),
  );
  if (below.length === 0) return "off";
  return below.every((one) => one === "on") ? "on" : below.includes("unknown") ? "unknown" : "off";
}
