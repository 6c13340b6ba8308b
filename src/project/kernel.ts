import { readFileSync } from "node:fs";
import { builtFile } from "./built-file.ts";

/** Inner loops in WebAssembly (kernel/). Each that is used has a memory of its own, which its caller lays out. */

/** What kernel/ is compiled to; null where that cannot be run. */
export function compiledKernel(): WebAssembly.Module | null {
  compiled ??= compile();
  return compiled === "unavailable" ? null : compiled;
}

/** The quickest way that this machine can run, made when it is first wanted; both give the same answers. */
export function quickest<T extends object>(
  inWasm: (module: WebAssembly.Module) => T,
  plain: () => T,
): () => T {
  let known: T | undefined;
  return () => {
    const module = compiledKernel();
    known ??= module === null ? plain() : inWasm(module);
    return known;
  };
}

let compiled: WebAssembly.Module | "unavailable" | undefined;

/** Not there without a build, refused where there is no SIMD or no WebAssembly at all. */
function compile(): WebAssembly.Module | "unavailable" {
  try {
    return new WebAssembly.Module(readFileSync(builtKernel()));
  } catch {
    return "unavailable";
  }
}

/** What kernel/ is compiled to. */
export const builtKernel = (): URL => builtFile("vector-kernel.wasm");

const pageSize = 65_536;

/** A memory of so many bytes or somewhat more, for a module that has none of its own. */
export const memoryOf = (bytes: number) => new WebAssembly.Memory({ initial: Math.ceil(bytes / pageSize) });

/** Makes a memory at least so many bytes long. Views of it from before are then no longer valid. */
export function growTo(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageSize));
}
