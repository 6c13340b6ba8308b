import { fileURLToPath } from "node:url";
import license from "rollup-plugin-license";
import { defineConfig, type UserConfig } from "tsdown";

/** Everything but the native modules is bundled: one small file to read at start-up instead of hundreds. */
const common = {
  platform: "node",
  target: "node20",
  outDir: "dist",
  minify: true,
  dts: false,
  clean: true,
} satisfies UserConfig;

/** What is bundled is distributed, so its licences go with it. */
const licenses = (name: string) => license({ thirdParty: { output: `dist/licenses/${name}.txt` } });

/** The modules of `src/` with these names, without their extension. */
const modules = (names: string) => new RegExp(`[\\\\/]src[\\\\/](?:${names})\\.ts$`);

/**
 * The MCP SDK has a validator of JSON Schema (ajv) for questions that a server asks its client. Ours asks none, and every
 * start would read its 150 kB.
 */
const withoutAjv = {
  name: "without-ajv",
  resolveId: (id: string) => (id === "@modelcontextprotocol/server/_shims" ? `\0${id}` : null),
  load: (id: string) =>
    id === "\0@modelcontextprotocol/server/_shims"
      ? 'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}'
      : null,
};

/** Leaves the MCP SDK to the file that it is bundled into. */
const sdkApart = {
  name: "sdk-apart",
  resolveId: (id: string, importer: string | undefined) =>
    id.endsWith("/sdk.ts") && importer !== undefined && modules("faces/mcp/.*").test(importer)
      ? { id: "./mcp-sdk.cjs", external: true }
      : null,
};

/** Leaves ink and React to the file that they are bundled into. */
const inkApart = {
  name: "ink-apart",
  resolveId: (id: string, importer: string | undefined) =>
    id === "./ink.ts" && importer !== undefined && modules("features/browse/.*").test(importer)
      ? { id: "./ink.mjs", external: true }
      : null,
};

/**
 * An agent's hook is one file: each file more, and each kilobyte, costs a start. What hooks go by, the daemon made ready; notes are
 * scrubbed by code that only a prompt with a note needs.
 */
const hookApart = {
  name: "hook-apart",
  resolveId: (id: string, importer = "") => {
    if (id === "./pm.ts") return { id: "./pm.cjs", external: true };
    if (id === "./scrub-notes.ts") return { id: "./scrub-notes.cjs", external: true };
    return modules("features/hook-parts").test(importer) && /\/(?:ready|stored)\.ts$/.test(id)
      ? "\0nothing"
      : null;
  },
  load: (id: string) => (id === "\0nothing" ? "export {};" : null),
};

/** Ink draws nothing before the end where it believes to run for a machine; `pm browse` has asked for a terminal itself. */
const withoutGuesses = {
  name: "without-guesses",
  resolveId: (id: string) => (/^is-in-ci$|^\.\/devtools\.js$/.test(id) ? `\0${id}` : null),
  load: (id: string) => (/^\0(?:is-in-ci|\.\/devtools\.js)$/.test(id) ? "export default false;" : null),
};

export default defineConfig([
  {
    ...common,
    entry: {
      pm: "src/pm.ts",
      pommeld: "src/pommeld.ts",
      "start-daemon": "src/features/daemon/start-daemon.ts",
      client: "src/pommel-client.ts",
      "demo-guard": "src/features/demo/guard.ts",
      "care-worker": "src/store/memory/backups/care-worker.ts",
      "doctor-thread": "src/faces/cli/doctor-thread.ts",
      "git-launcher": "src/git/launcher.ts",
      "index-worker": "src/code/index/index-worker.ts",
      "job-thread": "src/daemon/jobs/threads/job-thread.ts",
      "scrub-notes": "src/faces/hooks/scrub-notes.ts",
    },
    // CommonJS starts a tenth of a bare Node faster.
    format: "cjs",
    // Its CommonJS build hides its requires from the bundler. SQLite's binaries lie beside the bundle.
    alias: {
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
      "node-gyp-build": fileURLToPath(new URL("src/store/sqlite/binding.ts", import.meta.url)),
    },
    // Each file costs a start about half a millisecond: what hooks load, and all others do, comes in few. Every command asks the
    // agents' profiles whether an agent runs it.
    outputOptions: {
      codeSplitting: {
        groups: [
          {
            name: "base",
            test: modules(
              "base/(?:errors|paths|levels|text/hash|files/(?:replace-file|file-id|if-any))|protocol/(?:daemon-record|hooks|outside|ready-context)|agents/(?:profiles|\\w+/profile|codex/patch-files)|client/raw-request|faces/cli/(?:forward|names)|terminal/streams",
            ),
          },
          { name: "run-hook", test: modules("faces/hooks/(?!scrub-notes)[^/]*") },
          {
            name: "hook-parts",
            test: modules(
              "features/(?:rules/(?:before-call|check)|dead-ends/(?:before-call|match)|radar/(?:hooks|edit-input|bare-code))|agents/reading/call-input|base/text/(?:shell-words|telling-lines|relative-time)",
            ),
          },
        ],
      },
    },
    plugins: [licenses("pm"), sdkApart, inkApart],
  },
  {
    ...common,
    entry: { hook: "src/hook.ts" },
    format: "cjs",
    outputOptions: { codeSplitting: false },
    plugins: [hookApart],
  },
  {
    ...common,
    entry: { "mcp-sdk": "src/faces/mcp/server/sdk.ts" },
    format: "cjs",
    plugins: [licenses("mcp-sdk"), withoutAjv],
  },
  {
    ...common,
    entry: { "parse-worker": "src/code/parse/parse-worker.ts" },
    // web-tree-sitter loads its WASM by import.meta.url, so this one has to be a module.
    format: "esm",
    // Its emscripten glue holds an eval that we never reach.
    inputOptions: { checks: { eval: false } },
    plugins: [licenses("parse-worker")],
  },
  {
    ...common,
    entry: { ink: "src/features/browse/ink.ts" },
    // Its layout engine, yoga, waits for its WASM while it loads.
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    outputOptions: { codeSplitting: false },
    plugins: [licenses("ink"), withoutGuesses],
  },
]);
