import { fileURLToPath } from "node:url";
import license from "rollup-plugin-license";
import { defineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Builds the page into dist/ui, which the daemon serves (src/daemon/http/page.ts). */
export default defineConfig({
  root,
  publicDir: false,
  // What the page is made of lies in several rooms, whose own settings know nothing of it.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../../dist/ui",
    emptyOutDir: true,
    target: "es2022",
    // The Content-Security-Policy allows no inline script, and data: for pictures only.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // What the first view is made of comes in one file: each one more costs a turn of the daemon.
      output: {
        codeSplitting: {
          groups: [
            {
              name: "page",
              test: /src\/(?:page\/(?:api|components\/(?!forget|markdown))|faces\/page\/shell)|node_modules\/@?preact/,
            },
          ],
        },
      },
    },
  },
  plugins: [
    license({
      thirdParty: { output: fileURLToPath(new URL("../../../../dist/licenses/ui.txt", import.meta.url)) },
    }) as Plugin,
  ],
});
