// Compiles the inner loops of search (kernel/, AssemblyScript) to dist/vector-kernel.wasm.
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("..", import.meta.url));
const { error, stderr } = await asc.main([
  "kernel/vectors.ts",
  "kernel/texts.ts",
  "kernel/words.ts",
  "kernel/runs.ts",
  "kernel/tokens.ts",
  "--baseDir",
  root,
  "--outFile",
  "dist/vector-kernel.wasm",
  // No runtime and no memory of its own: the caller owns all memory and passes pointers.
  "--runtime",
  "stub",
  "--importMemory",
  "--noAssert",
  "-O3",
  "--enable",
  "simd",
]);
if (error) {
  console.error(`${stderr.toString()}\n${error.message}`);
  process.exit(1);
}
