/** A shape is made when it is first needed: `pm search` should not make those of all other routes. */
export function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
