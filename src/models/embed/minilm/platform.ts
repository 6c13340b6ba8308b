import * as z from "zod/mini";

/** What onnxruntime-node has binaries for. */
const supported = ["darwin-arm64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];

/** The part of Node's report that tells one C library from another. */
const report = z.object({ header: z.object({ glibcVersionRuntime: z.optional(z.string()) }) });

/** How this machine is called if onnxruntime-node has no binary for it ("darwin x64"), else null. */
export function unsupportedPlatform(
  platform: string = process.platform,
  arch: string = process.arch,
  hasGlibc: () => boolean = nodeHasGlibc,
): string | null {
  if (!supported.includes(`${platform}-${arch}`)) return `${platform} ${arch}`;
  if (platform === "linux" && !hasGlibc()) return `${platform} ${arch} without glibc`;
  return null;
}

function nodeHasGlibc(): boolean {
  const parsed = report.safeParse(process.report.getReport());
  // A report that cannot be read is no reason to refuse: loading the binary will tell.
  return !parsed.success || parsed.data.header.glibcVersionRuntime !== undefined;
}
