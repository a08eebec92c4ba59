export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database';
