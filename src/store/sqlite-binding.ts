import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads SQLite's binary for this platform. In the built programs it stands in for `node-gyp-build`, which
 * @photostructure/sqlite finds its binary with: the package's binaries lie in `dist/sqlite/`, without its C sources, so
 * that installing Pommel runs no script and compiles nothing.
 */
export default function loadBinding(): unknown {
  const dir = `./sqlite/${process.platform}-${process.arch}`;
  try {
    return require(`${dir}/glibc.node`);
  } catch (error) {
    // Linux with musl says that glibc's loader is missing; what it says of its own binary is the better reason.
    if (process.platform !== "linux") throw error;
    return require(`${dir}/musl.node`);
  }
}
