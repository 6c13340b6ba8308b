import { describe, expect, it } from "vitest";
import { describeKnownFile } from "./known-files.ts";

describe("holdingsOf", () => {
  it.each([
    ["go.mod", "dependencies"],
    ["packages/core/package.json", "dependencies"],
    ["src/App/App.csproj", "dependencies"],
    ["requirements-dev.txt", "python"],
    [".github/workflows/test.yml", "continuous integration"],
    [".golangci.yml", "lint"],
    [".eslintrc.json", "lint"],
    [".prettierrc", "format"],
    ["tsconfig.build.json", "compiler"],
    ["Dockerfile.dev", "container"],
    ["vite.config.ts", "bundler"],
    [".env.example", "environment"],
  ])("says what %s holds: %s", (path, word) => {
    expect(describeKnownFile(path)).toContain(word);
  });

  it.each([
    "src/package.ts",
    "docs/go.mod.md",
    "src/makefile.ts",
    "src/lint/rules.ts",
    "github/workflows.ts",
  ])("leaves %s to its content", (path) => {
    expect(describeKnownFile(path)).toBe("");
  });
});
