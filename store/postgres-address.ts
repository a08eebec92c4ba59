// These types have a file of their own, apart from the code that opens connections, because public types use them and
// must not need the types of `pg`.

/** A password, or a function that returns one for each new connection. */
export type Password = string | (() => string | Promise<string>);

/** The address to which Escapement's own connections are opened. */
export interface PostgresAddress {
  connectionString: string;
  password?: Password | undefined;
}
