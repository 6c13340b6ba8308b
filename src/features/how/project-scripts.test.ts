import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findTask } from "../../sessions/commands/tasks.ts";
import { readProjectScripts } from "./project-scripts.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-scripts-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
const lines = () => readProjectScripts(root).map(({ line, title, body }) => [line, title, body]);

it.each([
  ["package.json", '{"scripts": {"build": "tsc -b"}}', ["npm run build", "build", "tsc -b"]],
  [
    "composer.json",
    '{"scripts": {"test": ["phpunit", "phpstan"]}}',
    ["composer run test", "test", "phpunit; phpstan"],
  ],
  ["deno.json", '{"tasks": {"dev": "deno run main.ts"}}', ["deno task dev", "dev", "deno run main.ts"]],
  [
    "mise.toml",
    '[tasks."test:ci"]\ndescription = "All tests"\nrun = "go test ./..."',
    ["mise run test:ci", "test:ci All tests", "go test ./..."],
  ],
  ["pyproject.toml", '[tool.poe.tasks]\nlint = "ruff check"', ["poe lint", "lint", "ruff check"]],
  [
    "Taskfile.yml",
    "tasks:\n  build:\n    desc: Build it\n    cmds: [go build]",
    ["task build", "build Build it", "go build"],
  ],
  [
    "Makefile",
    "VERSION := 1\n# Builds the binary\nbuild: deps\n\t@go build -o app\n",
    ["make build", "build Builds the binary", "go build -o app;"],
  ],
  [
    "justfile",
    "# Run the tests\ntest name='':\n  cargo test {{name}}\n",
    ["just test", "test Run the tests", "cargo test {{name}};"],
  ],
  [
    "mise-tasks/lint/go",
    '#!/bin/sh\n#MISE description="Lint Go"\ngolangci-lint run\n',
    ["mise run lint:go", "lint:go Lint Go", "golangci-lint run"],
  ],
  [
    ".github/workflows/ci.yml",
    "jobs:\n  check:\n    steps:\n      - name: Integration tests\n        run: npm run test:it\n      - run: |\n          a\n          b\n",
    ["npm run test:it", "Integration tests check", ""],
  ],
])("reads %s", (file, text, expected) => {
  write(file, text);
  expect(lines()).toEqual([expected]);
});

it("calls scripts as the project's package manager does, and passes over what cannot be read", () => {
  write("package.json", '{"scripts": {"build": "vite build"}}');
  write("pnpm-lock.yaml", "");
  write("mise.toml", "[tasks\n");
  write("Taskfile.yml", "tasks: [");
  expect(lines()).toEqual([["pnpm run build", "build", "vite build"]]);
  expect(readProjectScripts(join(root, "nowhere"))).toEqual([]);
});

it.each([
  ["npm test", "test all"],
  ["go test ./...", "test all"],
  ["go test … -run=…", "test one"],
  ["pytest …", "test one"],
  ["cargo nextest run", "test all"],
  ["npm run lint", "lint"],
  ["cargo clippy --all-targets", "lint"],
  ["cargo fmt", "format"],
  ["npx tsc --noEmit", "types"],
  ["npm run build", "build"],
  ["npm run dev", "run"],
  ["go run ./cmd/app", "run"],
  ["npm run release", "release"],
  ["cargo build --release", "build"],
  ["cargo test --release", "test all"],
  ["zig build -Drelease-fast", "build"],
  ["goreleaser release --clean", "release"],
  ["npm ci", "install"],
  ["git push", null],
  ["docker build .", null],
  ["node scripts/x.mjs", null],
] as const)("%s is for: %s", (line, task) => {
  expect(findTask(line)).toBe(task);
});
