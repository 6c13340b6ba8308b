/** What anybody wants to run in a project, in the order in which it is wanted. */
export const tasks = [
  "test one",
  "test all",
  "lint",
  "format",
  "types",
  "build",
  "run",
  "release",
  "install",
] as const;
export type Task = (typeof tasks)[number];

const runsTests =
  /\b(?:tests?|spec|pytest|py\.test|jest|vitest|mocha|ava|rspec|phpunit|pest|ctest|nextest|unittest|tox|nox|playwright|cypress|e2e|junit|minitest)\b/;
/** A test is picked by its name, its file or its place. */
const picksTest =
  /(?:-run[= ]|-k\b|-t\b|--test-name-pattern|--testNamePattern|--tests\b|--test\b|--filter|--grep|-g\b|-Dtest=|--only|-e\b|::|\.(?:test|spec)\.|_test\.|test_\w+\.py|…)/;

const patterns: readonly (readonly [Task, RegExp])[] = [
  [
    "lint",
    /\b(?:lint(?:er|ers|ing)?|eslint|golangci-lint|clippy|rubocop|flake8|pylint|stylelint|ktlint\w*|detekt|swiftlint|credo|shellcheck|oxlint|hadolint|checkstyle|spotbugs|pmd|luacheck|selene|biome (?:check|lint)|ruff check|go vet|standardrb|dart analyze|flutter analyze|scalafix)\b/,
  ],
  [
    "format",
    /\b(?:fmt|format(?:ting)?|prettier|gofmt|goimports|gofumpt|black|rustfmt|ruff format|pint|php-cs-fixer|stylua|clang-format|swiftformat|scalafmt|spotless\w*|isort)\b/,
  ],
  [
    "types",
    /\b(?:tsc|vue-tsc|mypy|pyright|type-?check|types?|check-types|phpstan|psalm|sorbet|dialyzer|check:types)\b/,
  ],
  ["release", /\b(?:release|publish|deploy|goreleaser|semantic-release|changeset)\b/],
  ["install", /(?:^|\s)(?:ci|install|i|bootstrap|setup|mod download|deps\.get|restore|sync|fetch)(?:\s|$)/],
  [
    "build",
    /\b(?:build|compile|assemble|bundle|package|dist|make$|tsdown|rollup|webpack|xcodebuild|bootJar)\b/,
  ],
  [
    "run",
    /\b(?:dev|start|serve|server|preview|watch|up|go run|cargo run|bootRun|flutter run|dotnet run|swift run|runserver)\b/,
  ],
];

/** Program that install packages; others' "install" puts the project's own binary somewhere. */
const packageManager =
  /^(?:npm|pnpm|yarn|bun|pip|pip3|uv|poetry|pipenv|pdm|bundle|composer|go|cargo|mix|dotnet|dart|flutter|pod|conan|mise|make|just|task|gradle|\.\/gradlew|mvn|sbt|stack|cabal)\b/;

/**
 * What a command line is run for; null: none of these.
 * @param shape of the line: words that differ from run to run are "…"
 */
export function findTask(shape: string): Task | null {
  const words = shape.replace(/^(?:\w+=\S+ )+/, "");
  if (/\b(?:docker|kubectl|git|gh|curl|psql)\b/.test(words.split(" ", 1)[0]!)) return null;
  const other = patterns.find(
    ([task, pattern]) => pattern.test(words) && (task !== "install" || packageManager.test(words)),
  );
  if (
    runsTests.test(words) &&
    (other === undefined || other[0] === "run" || other[0] === "build" || other[0] === "install")
  )
    return picksTest.test(words) ? "test one" : "test all";
  return other?.[0] ?? null;
}
