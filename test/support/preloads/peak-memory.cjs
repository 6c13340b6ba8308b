// For `node --require`: writes to the file that POMMEL_TEST_PEAK_TO names how much memory a process took at most. Kilobytes.
const { writeFileSync } = require("node:fs");

const { POMMEL_TEST_PEAK_TO: to } = process.env;
process.on("exit", () => writeFileSync(to, String(process.resourceUsage().maxRSS)));
