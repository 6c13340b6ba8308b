import { expect, it } from "vitest";
import { findPackages, PackageMap, requirePackage } from "./packages.ts";

type Package = ReturnType<typeof findPackages>[number];

/** The packages of a project with these files; those without a text are empty. */
function packagesIn(files: Record<string, string>): string[] {
  return found(files).map(({ kind, dir, name }) => `${kind} ${dir || "."} ${name}`);
}

function found(files: Record<string, string>): Package[] {
  return findPackages(Object.keys(files), (path) => files[path] ?? null);
}

const named = (name: string, more = {}) => JSON.stringify({ name, ...more });

it("reads workspaces of npm and yarn, and leaves out manifests that they do not name", () => {
  const members = {
    "packages/web/package.json": named("@acme/web"),
    "packages/web/src/a.ts": "",
    "packages/old/package.json": named("@acme/old"),
    "packages/web/template/package.json": named("template"),
    "tools/package.json": "{}",
  };
  const workspaces = ["packages/*", "!packages/old", "./tools/"];
  const expected = ["npm . acme", "npm packages/web @acme/web", "npm tools tools"];
  expect(packagesIn({ "package.json": named("acme", { workspaces }), ...members })).toEqual(expected);
  const inObject = { workspaces: { packages: workspaces } };
  expect(packagesIn({ "package.json": named("acme", inObject), ...members })).toEqual(expected);
});

it.each([
  [
    "a block",
    "packages:\n  # ours\n  - \"packages/*\"\n\n  - apps/** # all\n  - '!**/test'\ncatalog:\n  - other\n",
  ],
  ["without indentation, with CRLF", "packages:\r\n- packages/*\r\n- apps/**\r\n- '!**/test'\r\n"],
  ["in one line", "packages: ['packages/*', \"apps/**\", '!**/test']\n"],
])("reads pnpm-workspace.yaml: %s", (_, yaml) => {
  expect(
    packagesIn({
      "pnpm-workspace.yaml": yaml,
      "packages/a/package.json": named("a"),
      "apps/x/y/package.json": named("y"),
      "apps/x/test/package.json": named("t"),
      "other/package.json": named("other"),
    }),
  ).toEqual(["npm apps/x/y y", "npm packages/a a"]);
});

it("reads crates, with and without a list of members", () => {
  const crate = (name: string) => `[package]\nname = "${name}"\n`;
  const files = {
    "core/Cargo.toml": crate("core"),
    "fuzz/Cargo.toml": crate("fuzz"),
    "core/tests/x/Cargo.toml": crate("x"),
  };
  const root = '[workspace]\nmembers = ["*"]\nexclude = ["fuzz"]\n';
  expect(packagesIn({ "Cargo.toml": root, ...files })).toEqual(["cargo core core"]);
  expect(packagesIn(files)).toEqual(["cargo core core", "cargo fuzz fuzz"]);
});

it("reads modules of Go and Maven, projects of Gradle and uv", () => {
  expect(
    packagesIn({
      "go.work": "go 1.22\n\nuse (\n\t./cli // the program\n\t./lib/x\n)\n",
      "cli/go.mod": "module example.org/cli\n",
      "lib/x/go.mod": "module example.org/x\n",
      "scratch/go.mod": "module example.org/scratch\n",
    }),
  ).toEqual(["go cli example.org/cli", "go lib/x example.org/x"]);
  const pom = (name: string, modules = "") =>
    `<project><parent><artifactId>up</artifactId></parent><artifactId>${name}</artifactId><modules>${modules}</modules></project>`;
  expect(
    packagesIn({
      "pom.xml": pom("all", "<module>api</module><!-- <module>old</module> -->"),
      "api/pom.xml": pom("api", "<module>deep</module>"),
      "api/deep/pom.xml": pom("deep"),
      "old/pom.xml": pom("old"),
    }),
  ).toEqual(["maven . all", "maven api api", "maven api/deep deep"]);
  expect(
    packagesIn({
      "settings.gradle.kts": 'include(":core", "connect:api")\n// include("old")\n',
      "core/src/A.java": "",
      "connect/api/src/B.java": "",
      "old/src/C.java": "",
    }),
  ).toEqual(["gradle connect/api api", "gradle core core"]);
  expect(
    packagesIn({
      "pyproject.toml": '[tool.uv.workspace]\nmembers = ["libs/*"]\n',
      "libs/a/pyproject.toml": '[project]\nname = "acme-a"\n',
      "libs/b/pyproject.toml": '[tool.poetry]\nname = "acme-b"\n',
    }),
  ).toEqual(["python libs/a acme-a", "python libs/b acme-b"]);
});

it.each([
  ["pom.xml", "<build>"],
  ["pom.xml", "<!--"],
  ["pom.xml", "<artifactId>"],
  ["settings.gradle", "/*"],
  ["settings.gradle", 'include "a"\n'.padEnd(5000)],
  ["pnpm-workspace.yaml", "packages:\n".padEnd(5000)],
  ["go.work", "use (\n"],
])("reads a hostile %s of %j in linear time", (file, part) => {
  const text = part.repeat(Math.ceil(1_000_000 / part.length));
  // Quadratic patterns would take minutes, and this test with them.
  expect(packagesIn({ [file]: text, "a/b.java": "" }).length).toBeLessThan(3);
});

it("survives manifests that are broken or gone", () => {
  expect(packagesIn({ "package.json": "{", "a/Cargo.toml": "[[[", "b/package.json": '{"name": 7}' })).toEqual(
    [],
  );
  expect(findPackages(["package.json"], () => null)).toEqual([]);
});

const map = new PackageMap(
  found({
    "package.json": named("acme", { workspaces: ["packages/**"] }),
    "packages/web/package.json": named("@acme/web"),
    "packages/web/plugin/package.json": named("@acme/web-plugin"),
  }),
);

it("gives a path to the nearest package above it", () => {
  const around = (path: string) => map.findAround(path)?.name;
  expect(around("packages/web/src/a.ts")).toBe("@acme/web");
  expect(around("packages/web")).toBe("@acme/web");
  expect(around("packages/web/plugin/a.ts")).toBe("@acme/web-plugin");
  expect(around("packages/webby/a.ts")).toBe("acme");
  expect(around("")).toBe("acme");
  expect(new PackageMap([]).findAround("a/b")).toBeNull();
});

it("finds a package by its name, its short name or its directory, and names those that are near", () => {
  for (const asked of ["@acme/web", "web", "packages/web", "./packages/web/"]) {
    expect(requirePackage(map, asked).name).toBe("@acme/web");
  }
  expect(() => requirePackage(map, "wbe-plugin")).toThrow(
    expect.objectContaining({
      code: "usage",
      hint: expect.stringContaining("Did you mean @acme/web-plugin"),
    }),
  );
  expect(() => requirePackage(new PackageMap([]), "web")).toThrow("this project has none");
});
