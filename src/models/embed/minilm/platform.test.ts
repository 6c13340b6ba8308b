import { describe, expect, it } from "vitest";
import { unsupportedPlatform } from "./platform.ts";

const glibc = (): boolean => true;
const musl = (): boolean => false;

describe("unsupportedPlatform", () => {
  it("has nothing against what there are binaries for", () => {
    for (const arch of ["x64", "arm64"]) expect(unsupportedPlatform("linux", arch, glibc)).toBeNull();
    for (const arch of ["x64", "arm64"]) expect(unsupportedPlatform("win32", arch, musl)).toBeNull();
    expect(unsupportedPlatform("darwin", "arm64", musl)).toBeNull();
  });

  it("names what there are none for", () => {
    expect(unsupportedPlatform("darwin", "x64", glibc)).toBe("darwin x64");
    expect(unsupportedPlatform("linux", "riscv64", glibc)).toBe("linux riscv64");
    expect(unsupportedPlatform("freebsd", "x64", musl)).toBe("freebsd x64");
  });

  it("names Linux with another C library", () => {
    expect(unsupportedPlatform("linux", "x64", musl)).toBe("linux x64 without glibc");
  });

  it("can tell about the machine it runs on", () => {
    const found = unsupportedPlatform();
    expect(found === null || found.startsWith(process.platform)).toBe(true);
  });
});
