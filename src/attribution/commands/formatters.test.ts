import { expect, it } from "vitest";
import { isFormatter } from "./command-means.ts";

it.each([
  "npx prettier --write . 2>&1 | tail -5",
  "cd web && npm run format",
  "npm run lint:fix",
  "make fmt",
  "mise run fmt && git diff --stat",
  "just fmt",
  "./scripts/format.sh src",
  "npx eslint --fix .",
  "npx biome check --write src",
  "ruff check --fix . && ruff format .",
  "cargo fmt --all",
  "go fmt ./... && go test ./...",
  "pre-commit run --all-files",
  "uv run black .",
  "golangci-lint run --fix ./...",
  "./gradlew spotlessApply",
])("%s only formats", (command) => {
  expect(isFormatter(command)).toBe(true);
});

it.each([
  "npm run generate && npm run format",
  "npx eslint .",
  "make formatter",
  "node format-data.mjs",
  "cargo run --bin fmt",
  "npx prettier . > all.txt",
  "git status",
  "terraform apply",
])("%s is none that only formats", (command) => {
  expect(isFormatter(command)).toBe(false);
});
