// Apart from what opens connections: public types name it, and must not need the types of `pg`.

/** A password, or what is asked for one by each new connection. */
export type Password = string | (() => string | Promise<string>);

/** Where connections of our own lead. */
export interface PostgresAddress {
  connectionString: string;
  password?: Password | undefined;
}
