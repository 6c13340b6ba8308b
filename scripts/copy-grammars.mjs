// Copies the grammars and the parser's runtime from the development dependencies into dist/grammars: the
// packages they come in are up to 76 MB each, the .wasm files are all that is needed. Their licences go along.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = `${root}node_modules/`;
const target = `${root}dist/grammars/`;
const grammars = JSON.parse(readFileSync(`${root}src/code/languages/grammars.json`, "utf8"));
const files = { ...grammars, "web-tree-sitter": "web-tree-sitter/web-tree-sitter.wasm" };

const missing = Object.values(files).filter((file) => !existsSync(modules + file));
if (missing.length > 0) {
  console.error(`Grammars are missing, run npm install:\n${missing.join("\n")}`);
  process.exit(1);
}

mkdirSync(target, { recursive: true });
for (const [name, file] of Object.entries(files)) copyFileSync(modules + file, `${target}${name}.wasm`);

const packages = new Set(Object.values(files).map((file) => /^(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
writeFileSync(`${target}LICENSES.txt`, [...packages].map(licenceOf).join("\n\n"));

function licenceOf(name) {
  const { version, license } = JSON.parse(readFileSync(`${modules}${name}/package.json`, "utf8"));
  const file = readdirSync(modules + name).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ships no licence text`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${modules}${name}/${file}`, "utf8").trim()}\n`;
}
