// For `node --require`: says in the file that POMMEL_TEST_LOCKED_OUT names when a transaction finds its database locked by
// another program. Then it waits for it as it would without this.
const { writeFileSync } = require("node:fs");

function watchSqlite(engine) {
  const { DatabaseSync } = engine;
  engine.DatabaseSync = class extends DatabaseSync {
    prepare(sql) {
      const statement = super.prepare(sql);
      if (!sql.startsWith("BEGIN immediate")) return statement;
      const { run } = statement;
      const { timeout } = super.prepare("PRAGMA busy_timeout").get();
      return Object.defineProperty(statement, "run", {
        value: () => {
          this.exec("PRAGMA busy_timeout = 0");
          try {
            return run.call(statement);
          } catch {
            writeFileSync(process.env.POMMEL_TEST_LOCKED_OUT, "");
          } finally {
            this.exec(`PRAGMA busy_timeout = ${timeout}`);
          }
          return run.call(statement);
        },
      });
    }
  };
}
require("./on-sqlite.cjs")(watchSqlite);
