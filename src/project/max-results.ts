/** No answer has more results, whatever `--limit`, `search.limit` or a request asks for. */
export const maxResults = 1000;
