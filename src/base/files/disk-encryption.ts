import { spawnSync } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../find-program.ts";
import { listNamesIfAny, readTextIfAny } from "./if-any.ts";

/** Whether the disk that holds a file is encrypted, as far as it can be seen without being root. */
export type DiskEncryption = "on" | "off" | "unknown";

/** What a system says of its disks; tests say it themselves. */
interface System {
  platform: NodeJS.Platform;
  readOutput(program: string, args: readonly string[]): string;
  /** The directory in /sys of the device that a file is on; null: of no block device. */
  findDevice(file: string): string | null;
}

export function detectDiskEncryption(file: string, given: Partial<System> = {}): DiskEncryption {
  const { platform, readOutput, findDevice } = { ...thisSystem, ...given };
  try {
    if (platform === "linux") {
      const device = findDevice(file);
      return device === null ? "unknown" : detectDeviceEncryption(device);
    }
    if (platform === "darwin") return parseFileVaultStatus(readOutput("fdesetup", ["status"]));
    if (platform === "win32")
      return parseBitLockerProtection(
        readOutput("powershell", ["-NoProfile", "-Command", makeProtectionQuery(file)]),
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

function parseFileVaultStatus(status: string): DiskEncryption {
  if (/FileVault is On/i.test(status)) return "on";
  return /FileVault is Off/i.test(status) ? "off" : "unknown";
}

const makeProtectionQuery = (file: string) =>
  `(New-Object -ComObject Shell.Application).NameSpace('${file.slice(0, 2).replaceAll("'", "")}').Self.ExtendedProperty('System.Volume.BitLockerProtection')`;

/** What Windows says of a volume: 1 protected, 2 not, 3 being encrypted, 5 suspended. */
function parseBitLockerProtection(protection: string): DiskEncryption {
  const state = protection.trim();
  return state === "1" || state === "3" || state === "5" ? "on" : state === "2" ? "off" : "unknown";
}

function findBlockDevice(file: string): string | null {
  const { dev } = statSync(file);
  // As Linux packs them (makedev).
  const major = ((dev >> 8) & 0xfff) | (Math.floor(dev / 2 ** 32) & ~0xfff);
  const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00);
  // Of no block device: a network, a container's layers, ZFS, Btrfs, memory.
  return major === 0 ? null : `/sys/dev/block/${major}:${minor}`;
}

const thisSystem: System = {
  platform: process.platform,
  readOutput: readProgramOutput,
  findDevice: findBlockDevice,
};

/** LUKS and dm-crypt below the file system, also below LVM and RAID. @param device its directory in /sys */
function detectDeviceEncryption(device: string): DiskEncryption {
  const dir = realpathSync(device);
  if (readTextIfAny(join(dir, "dm/uuid")).startsWith("CRYPT-")) return "on";
  const below = listNamesIfAny(join(dir, "slaves")).map((name) =>
    detectDeviceEncryption(join(dir, "slaves", name)),
  );
  if (below.length === 0) return "off";
  return below.every((one) => one === "on") ? "on" : below.includes("unknown") ? "unknown" : "off";
}
