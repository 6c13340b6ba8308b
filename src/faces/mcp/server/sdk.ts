import { config } from "zod/v4/core";

/**
 * The parts of the MCP SDK in use, bundled into a file of their own (tsdown.config.ts): the SDK brings all of zod, and
 * the rest of the program should load only the part that it needs.
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
