// For `node --require`: while the file that POMMEL_TEST_DIES_WHILE names is there, a server answers no question, and dies by
// SIGKILL when it has taken three.
const { existsSync } = require("node:fs");
const { Server } = require("node:http");

const { emit } = Server.prototype;
const { POMMEL_TEST_DIES_WHILE: sign } = process.env;
let taken = 0;
Server.prototype.emit = function (event, ...given) {
  if (event !== "request" || !existsSync(sign)) return emit.call(this, event, ...given);
  if (++taken === 3) process.kill(process.pid, "SIGKILL");
  return true;
};
