// Copies the grammars and the parser's runtime from the development dependencies into dist/grammars: the
// packages they come in are up to 76 MB each, the .wasm files are all that is needed.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}dist/grammars`;
const grammars = JSON.parse(readFileSync(`${root}src/code/languages/grammars.json`, "utf8"));
const files = { ...grammars, "web-tree-sitter": "web-tree-sitter/web-tree-sitter.wasm" };

const missing = Object.values(files).filter((file) => !existsSync(`${root}node_modules/${file}`));
if (missing.length > 0) {
  console.error(`Grammars are missing, run npm install:\n${missing.join("\n")}`);
  process.exit(1);
}
mkdirSync(target, { recursive: true });
for (const [name, file] of Object.entries(files)) {
  copyFileSync(`${root}node_modules/${file}`, `${target}/${name}.wasm`);
}
