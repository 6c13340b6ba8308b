export { formatBytes } from "../../base/text/bytes.ts";
export { formatCount } from "../../base/text/counted.ts";
export { nameSession } from "../../protocol/reading/names.ts";
