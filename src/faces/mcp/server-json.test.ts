import { describe, expect, it } from "vitest";
import * as z from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import server from "../../../server.json" with { type: "json" };
// The MCP registry's schema (github.com/modelcontextprotocol/registry) without its examples; its license is beside it.
import published from "../../../test/support/schemas/mcp-server-2025-12-11.json" with { type: "json" };

/** Without its one `not` (a package's version is not "latest"), which zod does not read. */
function readable() {
  const schema = structuredClone(published);
  const { version } = schema.definitions.Package.properties;
  expect(version.not).toEqual({ const: "latest" });
  Reflect.deleteProperty(version, "not");
  return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
}

describe("server.json", () => {
  const schema = readable();
  const refused = (candidate: unknown) => !schema.safeParse(candidate).success;

  it("follows the registry's schema", () => {
    expect(server.$schema).toBe(published.$id);
    expect(schema.safeParse(server).error?.issues ?? []).toEqual([]);
  });

  it("would be refused if it were wrong", () => {
    expect(refused({ ...server, name: "no slash" })).toBe(true);
    expect(refused({ ...server, description: "x".repeat(101) })).toBe(true);
  });

  it("has only fields that the schema names: it allows others, as which a misspelt one would pass", () => {
    const { ServerDetail, Repository } = published.definitions;
    const known = (definition: { properties: object }) => Object.keys(definition.properties);
    expect(known(ServerDetail)).toEqual(expect.arrayContaining(Object.keys(server)));
    expect(known(Repository)).toEqual(expect.arrayContaining(Object.keys(server.repository)));
  });

  it("names this package, its version and its repository, which name the server in turn", () => {
    const { version, repository, homepage, mcpName } = packageJson;
    expect(server).toMatchObject({ name: mcpName, version, websiteUrl: homepage });
    expect(repository.url).toBe(`git+${server.repository.url}.git`);
    expect(mcpName.toLowerCase()).toBe(`io.github.${new URL(server.repository.url).pathname.slice(1)}`);
  });

  it("names no package: until Pommel is on a registry, its name there is anybody's", () => {
    expect(server).not.toHaveProperty("packages");
  });
});
