// Separate from the code that opens connections, since public types use it and must not need the types of `pg`.

/** A password, or a function that each new connection calls for one. */
export type Password = string | (() => string | Promise<string>);

/** Where Escapement's own connections lead. */
export interface PostgresAddress {
  connectionString: string;
  password?: Password | undefined;
}
