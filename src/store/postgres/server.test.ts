import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildConnectionOptions, type ServerSettings } from "./connection-options.ts";
import { formatServerAddress, toServerError } from "./server.ts";

const at = (url: string): ServerSettings => ({
  url,
  setting: "index.url",
  holds: "index",
  hints: { down: "Use another one.", rights: "Ask for rights." },
  code: "index_unavailable",
  schema: "pommel",
});

describe("the connection to a server", () => {
  it.each(["postgres://ann@127.0.0.1/x", "postgres://ann@localhost:5433/x", "postgres://ann@[::1]/x"])(
    "needs no TLS on this machine: %s",
    (url) => expect(buildConnectionOptions(at(url), {}).ssl).toBe(false),
  );

  it("is verified beyond it, and never without TLS", () => {
    const url = "postgres://ann@db.example/team";
    expect(buildConnectionOptions(at(url), {})).toMatchObject({
      host: "db.example",
      port: 5432,
      database: "team",
      username: "ann",
      ssl: { rejectUnauthorized: true },
    });
    expect(buildConnectionOptions(at(`${url}?sslmode=require`), {}).ssl).toEqual({
      rejectUnauthorized: false,
    });
    for (const mode of ["disable", "prefer", "allow"]) {
      expect(() => buildConnectionOptions(at(`${url}?sslmode=${mode}`), {})).toThrow(/sslmode/);
    }
    expect(() =>
      buildConnectionOptions(at("postgres://ann@127.0.0.1.example/x?sslmode=disable"), {}),
    ).toThrow();
  });

  it("may be a socket", () => {
    const options = buildConnectionOptions(at("postgres://ann@localhost/team?host=/run/postgresql"), {});
    expect(options).toMatchObject({ path: "/run/postgresql/.s.PGSQL.5432", ssl: false, database: "team" });
  });

  it("takes the password from the variable, or from a file that nobody else can read", () => {
    const dir = mkdtempSync(join(tmpdir(), "pommel-password-"));
    const file = join(dir, "password");
    writeFileSync(file, "from the file\n", { mode: 0o600 });
    const settings = at(`postgres://ann@localhost/x?password_file=${encodeURIComponent(file)}`);
    expect(buildConnectionOptions(settings, { PGPASSWORD: "from the variable" }).pass).toBe(
      "from the variable",
    );
    expect(buildConnectionOptions(settings, {}).pass).toBe("from the file");
    chmodSync(file, 0o644);
    expect(() => buildConnectionOptions(settings, {})).toThrow(/Others can read/);
    rmSync(dir, { recursive: true });
    expect(() => buildConnectionOptions(settings, {})).toThrow(/password_file of index\.url/);
  });

  it("says what is missing", () => {
    expect(() => buildConnectionOptions(at(""), {})).toThrow("index.url is not set.");
    expect(() => buildConnectionOptions(at("mysql://x/y"), {})).toThrow(/not the address of a PostgreSQL/);
  });

  it("is named without what is secret", () => {
    expect(formatServerAddress(at("postgres://ann:secret@db.example:5433/team?sslmode=require"))).toBe(
      "postgres://ann@db.example:5433/team",
    );
  });

  it.each([
    ["ECONNREFUSED", /cannot be reached/],
    ["57P03", /cannot be reached/],
    ["28P01", /refused the sign-in/],
    ["3D000", /does not exist/],
    ["42501", /denied/],
  ])("fails with what to do: %s", (code, message) => {
    const error = Object.assign(new Error("permission denied"), { code });
    expect(toServerError(error, at("postgres://ann@localhost/x"))).toMatchObject({
      code: "index_unavailable",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
  });
});
