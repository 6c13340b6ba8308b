// Copies the grammars and the parser's runtime from the development dependencies into dist/grammars: the
// packages they come in are up to 76 MB each, the .wasm files are all that is needed. Compressed, as they are 31 MB
// otherwise and 2 MB so; quality 11 would take 50 s instead of 2 and save another 0.2 MB. Their licences go along.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

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
for (const [name, file] of Object.entries(files)) {
  writeFileSync(`${target}${name}.wasm.br`, compressed(readFileSync(modules + file)));
}

const packages = new Set(Object.values(files).map((file) => /^(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
writeFileSync(`${target}LICENSES.txt`, [...packages].map(licenceOf).join("\n\n"));

function compressed(bytes) {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

function licenceOf(name) {
  const { version, license } = JSON.parse(readFileSync(`${modules}${name}/package.json`, "utf8"));
  const file = readdirSync(modules + name).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ships no licence text`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${modules}${name}/${file}`, "utf8").trim()}\n`;
}
