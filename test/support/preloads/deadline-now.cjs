// For `node --require`: a deadline of a second or more passes as soon as everything that has come in is read.
const { setTimeout: real } = globalThis;

globalThis.setTimeout = (then, ms, ...given) => {
  if (!(ms >= 1000)) return real(then, ms, ...given);
  // Input is read between the two.
  return setImmediate(() => setImmediate(then, ...given));
};
