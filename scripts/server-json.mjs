// Gives server.json, by which the MCP registry lists the server, the version of package.json; `npm version` runs it.
import { readFileSync, writeFileSync } from "node:fs";

const file = "server.json";
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync(file, readFileSync(file, "utf8").replaceAll(/("version": ")[^"]+"/g, `$1${version}"`));
