// Checks the links between our Markdown pages: that each file is there, and each heading that is linked to, and that the sources
// and tests exist that a page or a comment names. Prints what is not there, and ends with 1 if anything is not. Addresses on the web are
// not looked at.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const inFolder = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(root, folder, name));
const atTop = readdirSync(root)
  .filter((name) => name.endsWith(".md"))
  .map((name) => join(root, name));
const pages = [...atTop, ...inFolder("docs"), ...inFolder("plugin"), join(root, "models/README.md")];

const withoutCode = (text) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "").replace(/`[^`\n]*`/g, "");

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page) {
  const text = readFileSync(page, "utf8").replace(/^ *```[\s\S]*?^ *```$/gm, "");
  const headings = [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(headings);
}

const broken = pages.flatMap((page) => {
  const links = [...withoutCode(readFileSync(page, "utf8")).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to);
  return links
    .filter((to) => !/^[a-z]+:/.test(to))
    .filter((to) => {
      const [path, anchor] = to.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(file)) return true;
      return (
        anchor !== undefined &&
        statSync(file).isFile() &&
        file.endsWith(".md") &&
        !anchorsOf(file).has(anchor)
      );
    })
    .map((to) => `${relative(root, page)}: ${to}`);
});
for (const page of pages) {
  for (const [, file] of readFileSync(page, "utf8").matchAll(/`((?:src|test)\/[^`\s<>*(:]+)`/g))
    if (!existsSync(join(root, file))) broken.push(`${relative(root, page)}: ${file}`);
}
/** "agents/reading/bounds.ts" in a comment: a file of a room of `src`. */
const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const sourceNamed = new RegExp(`(?<![\\w./-])(?:${rooms.join("|")})/[\\w./-]*[\\w-]\\.tsx?\\b`, "g");
const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) => /\.tsx?$/.test(name));
for (const source of sources) {
  const comments = readFileSync(join(root, "src", source), "utf8").match(/^\s*(?:\/?\*|\/\/).*$/gm) ?? [];
  for (const [file] of comments.join("\n").matchAll(sourceNamed))
    if (!existsSync(join(root, "src", file)) && !existsSync(join(root, file)))
      broken.push(`src/${source}: ${file}`);
}
if (broken.length > 0) {
  console.error(`Links that lead nowhere:\n${broken.join("\n")}`);
  process.exitCode = 1;
}
