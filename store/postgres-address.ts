// These types are apart from the code that opens connections: public types use them, and must not need the types of
// `pg`.

/** A password, or a function that returns one for each new connection. */
export type Password = string | (() => string | Promise<string>);

export interface PostgresAddress {
  connectionString: string;
  password?: Password | undefined;
}
