/** The environment variable with a server's password, as for every program that speaks with PostgreSQL. */
export const passwordVariable = "PGPASSWORD";
