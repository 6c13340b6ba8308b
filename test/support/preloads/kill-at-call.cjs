// For `node --require`: a program that dies by SIGKILL before its n-th call that changes something (a file, a database, or
// anything through another program), in whichever of its threads, or that counts these calls. See ../calls.ts.
const childProcess = require("node:child_process");
const fs = require("node:fs");
const { getEnvironmentData, isMainThread, setEnvironmentData } = require("node:worker_threads");

const { writeFileSync } = fs;
const key = "calls that change something";
if (isMainThread) {
  const { POMMEL_TEST_KILL_AT: at, POMMEL_TEST_COUNT_TO: to } = process.env;
  setEnvironmentData(key, { at: Number(at), count: new Int32Array(new SharedArrayBuffer(4)) });
  if (to) process.on("exit", () => writeFileSync(to, String(count[0])));
  // Programs that it starts are left alone.
  for (const name of ["POMMEL_TEST_KILL_AT", "POMMEL_TEST_COUNT_TO", "NODE_OPTIONS"])
    delete process.env[name];
}
const { at, count } = getEnvironmentData(key);

function watched(real) {
  return function (...given) {
    if (Atomics.add(count, 0, 1) + 1 === at) process.kill(process.pid, "SIGKILL");
    return real.apply(this, given);
  };
}

function watch(object, ...names) {
  for (const name of names) object[name] = watched(object[name]);
}

const changes = ["appendFile", "copyFile", "link", "mkdir", "rename", "rm", "symlink", "unlink", "writeFile"];
watch(fs, "write", "writeSync", ...changes.map((name) => `${name}Sync`));
watch(fs.promises, ...changes);
watch(childProcess, "execFile", "execFileSync", "spawn", "spawnSync");

require("./on-sqlite.cjs")((engine) => {
  const { DatabaseSync } = engine;
  // The addon's own methods cannot be replaced.
  engine.DatabaseSync = class extends DatabaseSync {
    prepare(sql) {
      const statement = super.prepare(sql);
      return Object.defineProperty(statement, "run", { value: watched(statement.run) });
    }
  };
  engine.DatabaseSync.prototype.exec = watched(DatabaseSync.prototype.exec);
});
