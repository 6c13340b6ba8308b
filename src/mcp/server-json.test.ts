import { describe, expect, it } from "vitest";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import server from "../../server.json" with { type: "json" };

/**
 * What of the MCP registry's schema 2025-12-11 (github.com/modelcontextprotocol/registry, server.schema.json, MIT) a server of
 * an npm package needs, written from its text. The schema allows other fields; none is in use, so a misspelt one shows.
 */
const schema = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.string() }),
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+/),
      runtimeHint: z.string(),
      packageArguments: z.array(z.strictObject({ type: z.literal("positional"), value: z.string() })),
      transport: z.strictObject({ type: z.literal("stdio") }),
    }),
  ),
});

describe("server.json", () => {
  it("follows the registry's schema", () => {
    expect(schema.safeParse(server).error?.issues ?? []).toEqual([]);
  });

  it("names this package, its version and its repository, which name the server in turn", () => {
    const { name, version, repository, homepage, mcpName } = packageJson;
    expect(server).toMatchObject({ name: mcpName, version, websiteUrl: homepage });
    expect(server.packages.map(({ identifier, version }) => [identifier, version])).toEqual([
      [name, version],
    ]);
    expect(repository.url).toBe(`git+${server.repository.url}.git`);
    expect(mcpName.toLowerCase()).toBe(`io.github.${new URL(server.repository.url).pathname.slice(1)}`);
  });
});
