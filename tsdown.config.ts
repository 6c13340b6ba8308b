import license from "rollup-plugin-license";
import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    pm: "src/cli/main.ts",
    pommeld: "src/daemon/main.ts",
    "parse-worker": "src/code/parse-worker.ts",
  },
  format: "cjs",
  platform: "node",
  target: "node20",
  outDir: "dist",
  // Everything but the native modules is bundled: one small file to read at start-up instead of hundreds.
  minify: true,
  dts: false,
  clean: true,
  fixedExtension: false,
  // web-tree-sitter's emscripten glue holds an eval that we never reach.
  inputOptions: { checks: { eval: false } },
  // What is bundled is distributed, so its licences go with it.
  plugins: [license({ thirdParty: { output: "dist/THIRD-PARTY.txt" } })],
});
