/** Commands that leave a project's files alone however long they run: builds, tests, servers, what waits or only asks. */

/** A script of a manifest by its name: `npm run test:e2e`. */
const script = `(?:test|e2e|build|lint|types?|typecheck|check|dev|start|serve|server|watch|preview|storybook|coverage|bench)`;

const programs: readonly string[] = [
  // Their output is not committed; what generates files has names of its own (command-means.ts).
  String.raw`go\s+(?:test|build|vet|run|version|env|doc|list)`,
  String.raw`(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:run\s+)?${script}(?:[:\-.]\S*)?`,
  String.raw`(?:npm|pnpm)\s+ci`,
  "tsc|vitest|jest|mocha|ava|tap|playwright|cypress|karma|nyc|c8|eslint|stylelint|pytest|tox|nox|rspec|phpunit|ctest|nextest|pyright|mypy|golangci-lint|shellcheck",
  String.raw`biome\s+(?:check|lint)|ruff\s+check`,
  String.raw`python[\d.]*\s+-m\s+(?:pytest|unittest|http\.server|mypy)`,
  String.raw`python[\d.]*\s+manage\.py\s+(?:test|runserver|check)`,
  String.raw`cargo\s+(?:\+\S+\s+)?(?:test|build|check|clippy|run|bench|nextest|watch)`,
  String.raw`make\s+(?:-\S+\s+)*(?:test|build|check|lint|run|serve|dev|bench)\S*`,
  String.raw`(?:\.\/)?(?:gradlew|mvnw|gradle|mvn)\s+(?:-\S+\s+)*(?:test|check|verify|build|assemble|run|bootRun)`,
  String.raw`dotnet\s+(?:test|build|run|watch)|mix\s+test|rake\s+(?:test|spec)|deno\s+(?:test|check|lint)|swift\s+(?:test|build|run)|zig\s+(?:test|build)|flutter\s+test`,
  String.raw`docker(?:-compose|\s+compose)\s+(?:-\S+\s+)*(?:up|logs|ps|build|pull|down|start|stop|restart)|docker\s+(?:build|logs|ps|images|pull|push|stop|inspect)`,
  String.raw`kubectl\s+(?:get|logs|describe|port-forward|wait|rollout)|terraform\s+(?:plan|validate|show)|helm\s+(?:list|lint)`,
  String.raw`node\s+(?:--\S+\s+)*\S*(?:server|serve|dev|test)\S*|flask\s+run|uvicorn|gunicorn|(?:bin\/)?rails\s+(?:s|server|test)|vite(?:\s+(?:--\S+|preview|dev)|$)|next\s+(?:dev|start|build)|ng\s+(?:serve|test)|nodemon|http-server|live-server`,
  "sleep|wait|ssh|nc|telnet|psql|redis-cli|mysql|htop|top|corepack",
  // A script that is called what it does: ./scripts/wait-for-it.sh.
  String.raw`(?:(?:ba|z)?sh\s+|node\s+|python[\d.]*\s+)?[\w.-]*\/(?:[\w.-]+\/)*(?:wait|run-?tests?|tests?|check|lint|serve|server|start|dev|build|e2e|ci)(?:[-_][\w-]*)?(?:\.\w+)?(?=\s|$)`,
];

const runners = String.raw`(?:(?:npx|pnpm\s+(?:exec|dlx)|yarn\s+exec|bunx|uvx|uv\s+run|poetry\s+run|pipenv\s+run|pdm\s+run|bundle\s+exec|hatch\s+run)\s+(?:-\S+\s+)*)*`;
const leaving = new RegExp(String.raw`^${runners}(?:${programs.join("|")})(?![\w-])`);

/** What makes one of them write after all. */
const writing =
  /\s(?:--(?:fix|write|apply|update\S*|snapshot-update|accept|inplace|unsafe)|-u|-w)(?![\w-])|\b(?:codegen|generate)\b/;

/** Whether a single command leaves the project's files alone. */
export const leavesFiles = (command: string): boolean => leaving.test(command) && !writing.test(command);
