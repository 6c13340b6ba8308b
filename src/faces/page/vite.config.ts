import { fileURLToPath } from "node:url";
import license from "rollup-plugin-license";
import { defineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Each of these wins over those before it, whichever is loaded first; the styles of all views are the last. */
const layers = ["tokens", "base", "shell", "components", "panels", "syntax", "diff", "views"];

/** Puts each file of styles into a layer. The editor, which is in a shadow root, takes its styles as text. */
const stylesInLayers: Plugin = {
  name: "styles-in-layers",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith(".css")) return null;
    const [, layer = "views"] = /src\/page\/styles\/(\w+)\.css$/.exec(id.replaceAll("\\", "/")) ?? [];
    return `@layer ${layers.join(", ")};\n@layer ${layer} {\n${code}\n}`;
  },
};

/** Builds the page into dist/ui, which the daemon serves (src/daemon/http/page.ts). */
export default defineConfig({
  root,
  // What the page is made of lies in several rooms, whose own settings know nothing of it.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // The list of turns is drawn by a component that is written for React.
  resolve: { alias: { react: "preact/compat", "react-dom": "preact/compat" } },
  build: {
    outDir: "../../../dist/ui",
    emptyOutDir: true,
    target: "es2022",
    // The Content-Security-Policy allows no inline script, and data: for pictures only.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" of the list of turns means something to React's servers alone.
      onwarn: (warning, warn) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
      // What the first view is made of comes in one file: each one more costs a turn of the daemon.
      output: {
        codeSplitting: {
          groups: [
            {
              name: "page",
              test: /src\/(?:page\/(?:api|components\/(?!dialog|diff|document|entry|forget|highlight|markdown|result-row|session-row))|faces\/page\/shell\/(?!palette))|node_modules\/@?preact(?!\/compat)/,
            },
          ],
        },
      },
    },
  },
  plugins: [
    stylesInLayers,
    license({
      thirdParty: { output: fileURLToPath(new URL("../../../../dist/licenses/ui.txt", import.meta.url)) },
    }) as Plugin,
  ],
});
