/**
 * CHANGELOG.md at a release.
 *
 *   node scripts/changelog.mjs release 1.2.3   names the section "Unreleased" after the version, and begins a new one
 *   node scripts/changelog.mjs notes 1.2.3     prints the version's section: the text of the release
 *
 * Both fail when there is nothing to say. `npm version` runs the first, .github/workflows/release.yml the second.
 */
import { readFileSync, writeFileSync } from "node:fs";

const file = "CHANGELOG.md";
const [task, version] = process.argv.slice(2);
if (!["release", "notes"].includes(task) || !/^\d+\.\d+\.\d+/.test(version ?? "")) {
  fail("Usage: node scripts/changelog.mjs release|notes VERSION");
}

const text = readFileSync(file, "utf8");
if (task === "notes") {
  console.log(section(version));
} else {
  section("Unreleased");
  if (find(version)) fail(`${file} has a section for ${version} already: is package.json up to date?`);
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(
    file,
    text.replace("## Unreleased\n", () => `## Unreleased\n\n## ${version} (${day})\n`),
  );
}

/** What stands below the heading of this name, up to the next one. */
function section(name) {
  const body = find(name)?.[1].trim();
  if (!body) fail(`${file} says nothing of ${name}: say there what changes for users.`);
  return body;
}

function find(name) {
  return new RegExp(`^## ${name.replaceAll(".", "\\.")}(?: .*)?\\n([^]*?)(?=^## |(?![^]))`, "m").exec(text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
