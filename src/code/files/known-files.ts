/**
 * What files hold that every project has under the same names, in words that a question would use and the files need not:
 * "dependencies" stands in no `go.mod`.
 */
const known: readonly [RegExp, string][] = [
  [/(^|\/)package\.json$/, "package manifest dependencies versions scripts node engines package manager"],
  [/(^|\/)go\.mod$/, "module dependencies required go version"],
  [/(^|\/)Cargo\.toml$/, "crate manifest dependencies features required rust version"],
  [
    /(^|\/)(pyproject\.toml|setup\.(py|cfg)|requirements[^/]*\.txt|Pipfile|environment\.ya?ml)$/,
    "package dependencies required python version",
  ],
  [/(^|\/)Gemfile$|\.gemspec$/, "gem dependencies required ruby version"],
  [/(^|\/)composer\.json$/, "package dependencies required php version"],
  [/(^|\/)mix\.exs$|(^|\/)rebar\.config$/, "package dependencies required elixir erlang version"],
  [
    /(^|\/)(pom\.xml|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|libs\.versions\.toml|build\.sbt)$/,
    "dependencies versions plugins build",
  ],
  [
    /\.(cs|fs|vb)proj$|(^|\/)(Directory\.(Build|Packages)\.props|global\.json)$/,
    "dependencies package versions build",
  ],
  [
    /(^|\/)(Package\.swift|pubspec\.yaml|[^/]+\.cabal|stack\.yaml|build\.zig\.zon|[^/]+\.rockspec)$/,
    "package dependencies versions",
  ],
  [/(^|\/)(CMakeLists\.txt|meson\.build|configure\.ac|build\.zig)$/, "build options dependencies compiler"],
  [/(^|\/)(GNU)?[Mm]akefile$|(^|\/)(justfile|Rakefile|Taskfile\.ya?ml)$/, "build targets tasks commands"],
  [/(^|\/)(pnpm-workspace\.yaml|lerna\.json|nx\.json|turbo\.json|go\.work)$/, "monorepo workspace packages"],
  [
    /(^|\/)(\.github\/workflows\/[^/]+|\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|Jenkinsfile)$|(^|\/)\.circleci\//,
    "continuous integration ci checks workflow jobs pipeline",
  ],
  [/(^|\/)(dependabot\.ya?ml|renovate\.json5?|\.renovaterc(\.json)?)$/, "dependency updates"],
  [
    /(^|\/)\.?goreleaser\.ya?ml$|(^|\/)\.releaserc[^/]*$|(^|\/)release-please-config\.json$/,
    "release publish configuration",
  ],
  [
    /(^|\/)([^/]*Dockerfile[^/]*|(docker-)?compose[^/]*\.ya?ml|Containerfile)$/,
    "docker container image services",
  ],
  [
    /(^|\/)(\.?eslint[^/]*|biome\.jsonc?|\.golangci\.ya?ml|\.?ruff\.toml|\.rubocop\.yml|\.pylintrc|\.flake8|\.credo\.exs|\.swiftlint\.yml|detekt\.yml|clippy\.toml|\.hlint\.yaml|phpstan[^/]*|\.clang-tidy)$/,
    "lint rules linter configuration",
  ],
  [
    /(^|\/)(\.?prettier[^/]*|\.editorconfig|\.clang-format|\.?rustfmt\.toml|\.formatter\.exs|\.php-cs-fixer[^/]*)$/,
    "code format style configuration",
  ],
  [/(^|\/)[jt]sconfig[^/]*\.json$/, "typescript compiler options"],
  [
    /(^|\/)(vite|webpack|rollup|esbuild|tsup|tsdown|babel|parcel)\.config\.[^/]+$|(^|\/)\.babelrc$/,
    "bundler build configuration",
  ],
  [
    /(^|\/)((jest|vitest|playwright|karma|cypress)\.config\.[^/]+|pytest\.ini|tox\.ini|noxfile\.py|phpunit\.xml[^/]*|\.rspec)$/,
    "test runner configuration",
  ],
  [/(^|\/)\.pre-commit-config\.yaml$|(^|\/)\.husky\//, "git hooks before commit checks"],
  [/(^|\/)\.gitignore$/, "files ignored by git"],
  [/(^|\/)\.env\.[^/]+$/, "environment variables settings"],
];

/** What a file holds by its name, in words; "" for most. */
export const holdingsOf = (path: string): string => known.find(([pattern]) => pattern.test(path))?.[1] ?? "";
