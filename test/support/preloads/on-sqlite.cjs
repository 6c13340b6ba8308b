/** Lets `change` change the exports of SQLite: Node's own, or the addon. */
module.exports = (change) => {
  if (process.getBuiltinModule?.("node:sqlite")) change(require("node:sqlite"));
  const { dlopen } = process;
  process.dlopen = (module, ...given) => {
    dlopen.call(process, module, ...given);
    if (module.exports?.StatementSync) change(module.exports);
  };
};
