import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { namedProject } from "../../test/support/named-project.ts";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { agents } from "../agents/registry.ts";
import { locateHome } from "../base/home.ts";
import { findOrStartDaemon, makeDaemonEnvironment } from "./connect.ts";

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => {
  vi.unstubAllEnvs();
  home.remove();
});

/** What a daemon gets of `env` while a known project has this configuration. */
function given(config: string, env: NodeJS.ProcessEnv): string[] {
  writeFileSync(namedProject(join(home.dir, "app")).configFile, config);
  return Object.keys(makeDaemonEnvironment(env));
}
const always = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX"];

it("passes a daemon the folders of every agent's files, the way to the keychain, and no secrets", () => {
  const homes = Object.fromEntries(
    agents.flatMap(({ name, environment }) =>
      environment.map((variable) => [variable, `/elsewhere/${name}`]),
    ),
  );
  const keychain = { XDG_RUNTIME_DIR: "/run/user/1", DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1/bus" };
  const env = {
    ...homes,
    ...keychain,
    PATH: "/bin",
    POMMEL_SEARCH_LIMIT: "3",
    OPENAI_API_KEY: "key",
    TOKEN: "secret",
  };
  expect(Object.keys(homes)).toContain("CODEX_HOME");
  expect(makeDaemonEnvironment(env)).toEqual({
    ...homes,
    ...keychain,
    PATH: "/bin",
    POMMEL_SEARCH_LIMIT: "3",
    MALLOC_TRIM_THRESHOLD_: "131072",
    MALLOC_ARENA_MAX: "2",
  });
});

it("a daemon is given the keys that the models of any project want", () => {
  const env = { OPENAI_API_KEY: "one", OTHER_KEY: "two", TOKEN: "secret" };
  expect(given('[embed]\ntext = "openai"\n', env)).toEqual([...always, "OPENAI_API_KEY"]);
  expect(given("nonsense = [", env)).toEqual(always);
  // What writes summaries is the user's choice, not the project's.
  vi.stubEnv("POMMEL_LLM_MODEL", "openai/gpt-4o-mini");
  vi.stubEnv("POMMEL_OPENAI_KEY_ENV", "OTHER_KEY");
  expect(given("", env)).toEqual([...always, "OTHER_KEY"]);
});

it("a daemon is given the keys of the object storage with its index", () => {
  const env = { AWS_REGION: "one", GOOGLE_SERVICE_ACCOUNT: "two" };
  vi.stubEnv("POMMEL_INDEX_URL", "s3://bucket/code");
  expect(given('[index]\ndriver = "lancedb"\n', env)).toEqual([...always, "AWS_REGION"]);
  expect(given("", env)).toEqual(always);
});

it("a daemon is given the password of the servers that it uses", () => {
  const env = { PGPASSWORD: "one" };
  expect(given("", env)).toEqual(always);
  expect(given('[index]\ndriver = "postgres"\n', env)).toEqual([...always, "PGPASSWORD"]);
  vi.stubEnv("POMMEL_MEMORY_SHARE", "postgres://ann@db.acme.test/team");
  expect(given("", env)).toEqual([...always, "PGPASSWORD"]);
});

it("says what cannot be written, where a daemon could keep nothing", async () => {
  const { stateDir } = locateHome();
  rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(dirname(stateDir), { recursive: true });
  writeFileSync(stateDir, "a file");
  await expect(findOrStartDaemon()).rejects.toMatchObject({
    name: "PommelError",
    message: expect.stringContaining(stateDir),
    hint: expect.stringMatching(/./),
  });
});
