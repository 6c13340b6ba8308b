import { config } from "zod/v4/core";

/**
 * What is used of the MCP SDK. It is bundled into a file of its own (tsdown.config.ts): it brings all of zod with it, of
 * which the rest of the program needs a part, and wants to load no more.
 */
export {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
export { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

// Making code for a schema takes longer than the few messages that it then reads.
config({ jitless: true });
