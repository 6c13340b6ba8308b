import { fileURLToPath } from "node:url";
import license from "rollup-plugin-license";
import { defineConfig } from "tsdown";

/** One file with all that the extension needs but VS Code itself: `npm run build:vscode`. */
export default defineConfig({
  entry: { extension: "src/extension.ts" },
  format: "cjs",
  platform: "node",
  target: "node20",
  outDir: "dist",
  minify: true,
  dts: false,
  external: ["vscode"],
  outputOptions: { codeSplitting: false },
  plugins: [
    license({ thirdParty: { output: fileURLToPath(new URL("dist/licenses.txt", import.meta.url)) } }),
  ],
});
