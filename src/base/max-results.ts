/** Upper limit for `--limit`, `search.limit` and requests. */
export const maxResults = 1000;
