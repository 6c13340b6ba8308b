import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { detectDiskEncryption } from "./disk-encryption.ts";

/** As in /sys/block: what a device is, and what it lies on. */
function device(dir: string, name: string, uuid: string | null, below: readonly string[] = []): string {
  mkdirSync(join(dir, name, "slaves"), { recursive: true });
  if (uuid !== null) {
    mkdirSync(join(dir, name, "dm"));
    writeFileSync(join(dir, name, "dm/uuid"), `${uuid}\n`);
  }
  for (const one of below) symlinkSync(join(dir, one), join(dir, name, "slaves", one));
  return join(dir, name);
}

it("LUKS is seen below LVM, and a plain disk beside it", () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-sys-"));
  device(dir, "sda2", null);
  device(dir, "sdb1", null);
  device(dir, "dm-0", "CRYPT-LUKS2-abc", ["sda2"]);
  const detect = (on: string | null) =>
    detectDiskEncryption(dir, { platform: "linux", findDevice: () => on });
  expect(detect(device(dir, "dm-1", "LVM-home", ["dm-0"]))).toBe("on");
  expect(detect(device(dir, "dm-2", "LVM-both", ["dm-0", "sdb1"]))).toBe("off");
  expect(detect(join(dir, "sdb1"))).toBe("off");
  expect(detect(null)).toBe("unknown");
});

it("what macOS and Windows say is understood, and what nobody says is unknown", () => {
  const detectOn = (platform: NodeJS.Platform) => (output: string) =>
    detectDiskEncryption("C:\\x", { platform, readOutput: () => output });
  expect(["FileVault is On.\n", "FileVault is Off.\n", ""].map(detectOn("darwin"))).toEqual([
    "on",
    "off",
    "unknown",
  ]);
  expect(["1\r\n", "2", "3", "5", "0", ""].map(detectOn("win32"))).toEqual([
    "on",
    "off",
    "on",
    "on",
    "unknown",
    "unknown",
  ]);
  expect(detectDiskEncryption(join(tmpdir(), "not-there-at-all"), { platform: "linux" })).toBe("unknown");
  expect(detectDiskEncryption(tmpdir(), { platform: "freebsd" })).toBe("unknown");
});
