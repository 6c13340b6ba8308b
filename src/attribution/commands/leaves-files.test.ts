import { describe, expect, it } from "vitest";
import { leavesFiles } from "./shell.ts";

describe("a command", () => {
  it.each([
    ...["npm test", "npm run test:unit", "pnpm -r test", "yarn build", "npx playwright test", "bun test"],
    ...["cargo nextest run", "./mvnw -q verify", "python -m pytest -x", "make test-unit", "tox -e py312"],
    ...["docker compose up -d", "kubectl logs -f deploy/app", "terraform plan", "sleep 20", "node server.js"],
  ])("leaves files alone: %s", (command) => {
    expect(leavesFiles(command)).toBe(true);
  });

  it.each([
    ...[
      "npx vitest run -u",
      "npx jest --updateSnapshot",
      "npx eslint --fix .",
      "npm run codegen",
      "npm run format",
    ],
    ...["make generate", "cargo fmt", "npm install", "terraform apply", "docker compose run app ./gen.sh"],
    ...["node scripts/generate.mjs a.ts", "testgen --all", "pytest --snapshot-update"],
  ])("may write: %s", (command) => {
    expect(leavesFiles(command)).toBe(false);
  });
});
