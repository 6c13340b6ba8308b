import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads SQLite's binary for this platform. In the built programs it replaces `node-gyp-build`, which
 * @photostructure/sqlite finds its binary with: the package's binaries lie in `dist/sqlite/`, without its C sources, so
 * that installing Pommel runs no script and compiles nothing.
 */
export default function loadBinding(): unknown {
  const dir = `./sqlite/${process.platform}-${process.arch}`;
  try {
    return require(`${dir}/glibc.node`);
  } catch (error) {
    if (process.platform !== "linux") throw error;
    try {
      return require(`${dir}/musl.node`);
    } catch {
      // Where neither loads, it is mostly for a glibc that is too old: the first error says so.
      throw error;
    }
  }
}
